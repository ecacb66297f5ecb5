import { catchRefusal } from '#http/pages/catch-refusal.ts'
import { type FormErrors, firstError } from '#http/pages/form.ts'
import { page, type RealmPageCall } from '#http/pages/page.ts'
import type { HttpResponse } from '#http/wire/http-types.ts'
import { isByEmail } from '#invitations/invitation.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import { emailNotAllowed, emailTaken } from '#people/users/addresses/available-email.ts'
import { findEmailProblem, findJoiningRules } from '#people/users/joining-rules.ts'
import { hasOtherRealms } from '#realms/queries.ts'
import { acceptInvitation, invitationNotValid, noLicensesLeft, requireAllowedAddress } from './accept-invitation.ts'
import { createAndLogIn, errorOf, findAccountErrors, limitJoining, toFormResponse } from './create-account.ts'
import { findGrants } from './grants.ts'
import { findImportedAccount } from './import-settings.ts'
import { findInvitationStatus, type InvitationStatus } from './invitation-status.ts'
import { type FormResponse, type JoinFields, joinForm } from './join-form.ts'
import { cannotJoinPage, redirectToLogin, unavailablePage } from './unavailable-pages.ts'

export const registerPage = page({
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
  return createAndLogIn(call, given, 'invitation', imported.account, (tx, account) =>
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
