import type { KeyObject } from 'node:crypto'
import { emailNotAllowed, emailTaken } from '#accounts/change-email.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { type FormErrors, firstError, renderPage } from '#http/page-html.ts'
import { page, type RealmPageCall } from '#http/pages.ts'
import { limitByNetwork, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { type Invitation, isByEmail } from '#invitations/invitation.ts'
import { findGrants, findInvitationStatus, type InvitationStatus } from '#invitations/invitation-status.ts'
import { saveRenewalRequest } from '#invitations/queries.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { t } from '#lib/text.ts'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessages } from '#messages/send-message.ts'
import { noLicensesLeft } from '#people/creation-limits.ts'
import { findEmailProblem, findJoiningRules } from '#people/email-addresses.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { hasOtherRealms } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { acceptInvitation, invitationNotValid, requireAllowedAddress } from './accept-invitation.ts'
import { createAccount, errorOf, findAccountErrors, limitJoining, toFormResponse } from './joining/create-account.ts'
import { findImportedAccount } from './joining/import-settings.ts'
import { alreadySignedInPage, type FormResponse, type JoinFields, joinForm } from './joining/join-form.ts'
import { cannotJoinPage, otherMethodsPage, redirectToLogin, unavailablePage } from './joining/unavailable-pages.ts'

// The pages behind an invitation: the form that creates an account, and requests for a new invitation. They work
// without scripts and say no more about an organization than its invitation does.

const registerPage = page({
  route: 'POST /accounts/register/',
  who: 'anyone here',
  fields: [
    'key',
    'email',
    'full_name',
    'password',
    'timezone',
    'email_address_visibility',
    'other_organization',
    'other_password',
  ],
  async handle(call, given) {
    const { realm, db, secret, clock } = call
    const status = await findInvitationStatus(db, realm, given.key, secret, clock.now())
    if (status?.state !== 'pending') return unavailablePage(realm, status, given.key)
    const others = await otherMethodsPage(call, given.key)
    if (others !== null) return others
    const joined = await catchRefusal(() => join(call, status, given))
    return joined instanceof Refusal ? showRefusal(call, status, given, joined) : joined
  },
})

/**
 * Creates the account, logs the user in and redirects to the home page. If the form has errors, it is shown again with
 * all of them.
 */
async function join(call: RealmPageCall, status: InvitationStatus, given: JoinFields): Promise<HttpResponse> {
  await limitJoining(call)
  const email = (status.invitation.email ?? given.email).trim()
  const errors = await findErrors(call, status, given, email)
  if (Object.keys(errors).length > 0) return showAgain(call, status, given, { status: 400, errors })
  const imported = await findImportedAccount(call, given, email)
  if (firstError(imported.errors) !== undefined)
    return showAgain(call, status, given, { status: 400, errors: imported.errors })
  return createAccount(call, given, 'invitation', imported.account, (tx, account) =>
    acceptInvitation(tx, call.realm.id, status.invitation.id, { ...account, email }),
  )
}

/**
 * Returns the errors that can be found before the password is hashed. The address of an email invitation is not
 * checked, because the user cannot change it.
 */
async function findErrors(
  call: RealmPageCall,
  { invitation }: InvitationStatus,
  given: JoinFields,
  email: string,
): Promise<FormErrors> {
  const rules = await findJoiningRules(call.db, call.realm)
  const emailError = isByEmail(invitation) ? null : findEmailProblem(rules, email)
  return {
    ...(emailError !== null && { email: emailError }),
    ...(await errorOf('email', () => requireAllowedAddress(invitation, email))),
    ...(await findAccountErrors(call, given, email)),
  }
}

/** Shows the form again with the error, or another page if no change to the form would help. */
async function showRefusal(
  call: RealmPageCall,
  status: InvitationStatus,
  given: JoinFields,
  refused: Refusal,
): Promise<HttpResponse> {
  const { db, realm, secret, clock } = call
  const { kind, message } = refused
  const { email } = status.invitation
  if (kind === invitationNotValid)
    return unavailablePage(realm, await findInvitationStatus(db, realm, given.key, secret, clock.now()), given.key)
  if (kind === emailTaken) return redirectToLogin(email ?? given.email.trim())
  if (kind === noLicensesLeft || (kind === emailNotAllowed && email !== null))
    return cannotJoinPage(realm, status, message)
  return showAgain(call, status, given, toFormResponse(refused))
}

async function showAgain(
  { db, realm, clock }: RealmPageCall,
  status: InvitationStatus,
  given: JoinFields,
  shown: FormResponse,
): Promise<HttpResponse> {
  const grants = await findGrants(db, status.inviter, status.invitation, clock.now())
  return joinForm(db, realm, status, grants, given, await hasOtherRealms(db, realm.id), shown)
}

/** The minimum number of seconds between two notices about one invitation. */
const MIN_REQUEST_INTERVAL = 86_400

/**
 * Notifies the inviter, at most once a day, that a person would like to join with an expired invitation. For all other
 * keys it does nothing, and the caller cannot tell the difference.
 */
async function requestRenewal(tx: Transaction, realm: Realm, key: string, secret: KeyObject): Promise<void> {
  const status = await findInvitationStatus(tx.db, realm, key, secret, tx.now)
  if (status?.state !== 'expired') return
  const { invitation, inviter } = status
  if (!(await saveRenewalRequest(tx, invitation.id, tx.now - MIN_REQUEST_INTERVAL))) return
  const content = renewalRequestText(invitation)
  await sendMessages(tx, [await prepareNotice(tx.db, { recipientIds: [inviter.id], content })])
}

const renewalRequestText = (invitation: Invitation) =>
  isByEmail(invitation)
    ? `${invitation.email} would like to join, but your invitation has expired. Resend it to make its link work again.`
    : 'Someone would like to join with one of your links, but it has expired. Extend it to make it work again.'

/** The limit of requests for another invitation from one network. */
const RENEWAL_LIMITS: readonly RateRule[] = [[3600, 20]]

const showInvitation = page({
  route: 'GET /accounts/do_confirm/{key}',
  who: 'anyone here',
  handle: (call, { key }) => show(call, key, 'email'),
})

const showLink = page({
  route: 'GET /join/{key}/',
  who: 'anyone here',
  handle: (call, { key }) => show(call, key, 'link'),
})

/** Shows the invitation. Viewing an invitation does not use it, because email scanners open every link. */
async function show(call: RealmPageCall, key: string, kind: 'email' | 'link'): Promise<HttpResponse> {
  const { realm, visitor, db, secret, clock, query, path } = call
  const status = await findInvitationStatus(db, realm, key, secret, clock.now())
  if (status === null || isByEmail(status.invitation) !== (kind === 'email')) return unavailablePage(realm, null, key)
  if (status.state !== 'pending') return unavailablePage(realm, status, key)
  const { email } = status.invitation
  if (email !== null && (await findUserByDeliveryEmail(db, realm.id, email)) !== null) return redirectToLogin(email)
  if (visitor !== null && !query.has('another')) return alreadySignedInPage(realm, visitor.actor, path)
  const others = await otherMethodsPage(call, key)
  if (others !== null) return others
  const grants = await findGrants(db, status.inviter, status.invitation, clock.now())
  const given = { key, email: '', full_name: '', email_address_visibility: '', other_organization: '' }
  return joinForm(db, realm, status, grants, given, await hasOtherRealms(db, realm.id))
}

const askForInvitation = page({
  route: 'POST /accounts/ask_for_invitation/',
  who: 'anyone here',
  fields: ['key'],
  async handle(call, { key }) {
    const { realm, secret } = call
    await limitByNetwork(call, 'requests for invitations', RENEWAL_LIMITS)
    await call.transaction((tx) => requestRenewal(tx, realm, key, secret))
    return renderPage({
      heading: t('Your request was sent'),
      organization: realm,
      content: html`<p>${t('If the invitation can be renewed, its sender now knows that you would like to join.')}</p>\n`,
    })
  },
})

export const joinPages = [showInvitation, showLink, registerPage, askForInvitation]
