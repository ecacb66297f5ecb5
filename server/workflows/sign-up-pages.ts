import { emailNotAllowed, emailTaken } from '#accounts/change-email.ts'
import type { HttpResponse } from '#http/http-types.ts'
import {
  errorSummary,
  expiredLinkPage,
  type FormErrors,
  field,
  firstError,
  redirect,
  renderPage,
} from '#http/page-html.ts'
import { page, type RealmPageCall } from '#http/pages.ts'
import { proofOf } from '#http/proof-of-work.ts'
import { limitByNetwork, limitBySite, mayMail, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { invitationKey } from '#invitations/invitation.ts'
import { findUsableInvitation } from '#invitations/invitation-status.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { bold, linkTo, rich, t } from '#lib/text.ts'
import { sendsEmail } from '#mail/delivery.ts'
import { hasLicenses, noLicensesLeft } from '#people/creation-limits.ts'
import { findEmailProblem, findJoiningRules, isEmailAddress } from '#people/email-addresses.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { hasOtherRealms } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { createAccount, findAccountErrors, limitJoining, toFormResponse } from './joining/create-account.ts'
import { findImportedAccount } from './joining/import-settings.ts'
import { type AccountFields, accountPage, alreadySignedInPage, type FormResponse } from './joining/join-form.ts'
import { otherMethodsPage, redirectToLogin } from './joining/unavailable-pages.ts'
import { invitationRequired, readSignUp, requestSignUp, type SignUp, signUp } from './sign-up.ts'

// The pages on which people join an organization that requires no invitation. A form has the same result whether or
// not its address has an account; only the email tells.

/** The limits of sign-ups: emails per organization, requests per network, and requests per site of an IPv6 network. */
const RULES_PER_REALM: readonly RateRule[] = [[86_400, 500]]
const RULES_PER_NETWORK: readonly RateRule[] = [[3600, 30]]
const RULES_PER_SITE: readonly RateRule[] = [[3600, 100]]

const showSignUp = page({
  route: 'GET /register/',
  who: 'anyone here',
  async handle(call) {
    const { realm, visitor, query, path } = call
    if (realm.settings.invite_required) return invitationRequiredPage(realm)
    const others = await otherMethodsPage(call)
    if (others !== null) return others
    if (visitor !== null && !query.has('another')) return alreadySignedInPage(realm, visitor.actor, path)
    return addressPage(call, query.get('email') ?? '', {})
  },
})

const submitSignUp = page({
  route: 'POST /register/',
  who: 'anyone here',
  fields: ['email'],
  needsProof: true,
  async handle(call, { email: given }) {
    const { realm, db, transaction } = call
    if (realm.settings.invite_required) return invitationRequiredPage(realm)
    const others = await otherMethodsPage(call)
    if (others !== null) return others
    const email = given.trim()
    const error = await findProblem(call, email)
    if (error !== null) return addressPage(call, given, { email: error })
    if (!(await hasLicenses(db, realm, 1))) return fullPage(realm)
    await limitByNetwork(call, 'sign-ups', RULES_PER_NETWORK)
    await limitBySite(call, 'sign-ups', RULES_PER_SITE)
    // Above the limits, no email is sent, but the response is the same.
    if (await mayRequest(call, email)) await transaction((tx) => requestSignUp(tx, realm, email))
    return sentPage(call, email)
  },
})

const showAccountForm = page({
  route: 'GET /accounts/sign_up/{key}/',
  who: 'anyone here',
  async handle(call, { key }) {
    const { realm, visitor, query, path } = call
    const found = await findPermission(call, key)
    if ('page' in found) return found.page
    if (visitor !== null && !query.has('another')) return alreadySignedInPage(realm, visitor.actor, path)
    return accountForm(call, key, found.permission, {
      full_name: '',
      email_address_visibility: '',
      other_organization: '',
    })
  },
})

const submitAccountForm = page({
  route: 'POST /accounts/sign_up/{key}/',
  who: 'anyone here',
  fields: ['full_name', 'password', 'timezone', 'email_address_visibility', 'other_organization', 'other_password'],
  async handle(call, { key, ...given }) {
    const { realm } = call
    const found = await findPermission(call, key)
    if ('page' in found) return found.page
    const { permission } = found
    const showAgain = (shown: FormResponse) => accountForm(call, key, permission, given, shown)
    const joined = await catchRefusal(() => join(call, permission, given, showAgain))
    if (!(joined instanceof Refusal)) return joined
    if (joined.kind === emailTaken) return takenPage(call, permission)
    if (joined.kind === invitationRequired) return invitationRequiredPage(realm)
    if (joined.kind === noLicensesLeft || joined.kind === emailNotAllowed)
      return cannotSignUpPage(realm, joined.message)
    return showAgain(toFormResponse(joined))
  },
})

export const signUpPages = [showSignUp, submitSignUp, showAccountForm, submitAccountForm]

/**
 * Creates the account, logs the user in and redirects to the home page. If the form has errors, it is shown again with
 * all of them.
 */
async function join(
  call: RealmPageCall,
  permission: SignUp,
  given: AccountFields,
  showAgain: (shown: FormResponse) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  await limitJoining(call)
  const errors = await findAccountErrors(call, given, permission.email)
  if (Object.keys(errors).length > 0) return showAgain({ status: 400, errors })
  const imported = await findImportedAccount(call, given, permission.email)
  if (firstError(imported.errors) !== undefined) return showAgain({ status: 400, errors: imported.errors })
  return createAccount(call, given, 'sign-up', imported.account, (tx, account) => signUp(tx, permission, account))
}

/**
 * Returns the permission that the link gives, or a page to show instead. Viewing a link does not use it. If the person
 * was also invited, the page is that of the invitation, which may grant a role, channels and groups.
 */
async function findPermission(
  call: RealmPageCall,
  key: string,
): Promise<{ permission: SignUp } | { page: HttpResponse }> {
  const { realm, db, secret, clock } = call
  const permission = readSignUp(secret, realm, key, clock.now())
  if (permission === null) return { page: invalidSignUpPage(realm) }
  if ((await findUserByDeliveryEmail(db, realm.id, permission.email)) !== null)
    return { page: redirectToLogin(permission.email) }
  const invitation = await findUsableInvitation(db, realm, permission.email, clock.now())
  if (invitation !== null) return { page: redirect(`/accounts/do_confirm/${invitationKey(secret, invitation)}`) }
  if (realm.settings.invite_required) return { page: invitationRequiredPage(realm) }
  const others = await otherMethodsPage(call)
  return others === null ? { permission } : { page: others }
}

/**
 * Returns the page for an address that has an account or is reserved. For example, a change of address that can still
 * be undone reserves the old address.
 */
const takenPage = async ({ db, realm }: RealmPageCall, { email }: SignUp): Promise<HttpResponse> =>
  (await findUserByDeliveryEmail(db, realm.id, email)) !== null
    ? redirectToLogin(email)
    : cannotSignUpPage(realm, t('This address cannot be used at the moment.'))

/** Returns the reason why the address cannot join; null if it can. The reason reveals nothing about accounts. */
async function findProblem({ db, realm }: RealmPageCall, email: string): Promise<string | null> {
  if (!isEmailAddress(email)) return t('Enter an email address, such as you@example.com.')
  return findEmailProblem(await findJoiningRules(db, realm), email)
}

/**
 * Returns whether another email may be sent. The emails to an address are counted across all organizations, since
 * anyone may be able to create an organization.
 */
async function mayRequest(call: RealmPageCall, email: string): Promise<boolean> {
  const { attempts, realm } = call
  if (!(await mayMail(call, 'sign-ups', email))) return false
  return (await attempts.take(`sign-ups in organization ${realm.id}`, RULES_PER_REALM)).allowed
}

const logInLine = () => html`<p>${rich('Already have an account? <a>Sign in</a>', { a: linkTo('/login/') })}</p>
`

function addressPage(call: RealmPageCall, email: string, errors: FormErrors): HttpResponse {
  const { realm } = call
  const proof = proofOf(call, '/register/')
  const hasErrors = errors['email'] !== undefined
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading: t('Join {realm}', { realm: realm.name }),
    organization: realm,
    hasErrors,
    headers: proof.headers,
    content: html`${errorSummary(errors)}<p>${t('We will email you a link to create your account.')}</p>
<form method="post" action="/register/">
${field({
  name: 'email',
  label: t('Email'),
  type: 'email',
  value: email,
  autocomplete: 'email',
  error: errors['email'],
  isFocused: true,
})}${proof.field}<button>${t('Send link')}</button>
</form>
${logInLine()}`,
  })
}

function sentPage(call: RealmPageCall, email: string): HttpResponse {
  const { realm } = call
  const isSent = sendsEmail(call)
  return renderPage({
    heading: isSent ? t('Check your email') : t('This server cannot send email'),
    organization: realm,
    content: !isSent
      ? html`<p>${t('Ask a member of {realm} for an invitation link.', { realm: realm.name })}</p>
${logInLine()}`
      : html`<p>${rich('We have sent an email to <b>{email}</b>. Open the link in it to create your account. The link expires after a day.', { email, b: bold })}</p>
<p>${t('No email after a few minutes? Check your spam folder, and make sure that the address is right.')}</p>
${logInLine()}`,
  })
}

async function accountForm(
  { db, realm }: RealmPageCall,
  key: string,
  { email }: SignUp,
  given: Pick<AccountFields, 'full_name' | 'email_address_visibility' | 'other_organization'>,
  shown: FormResponse = {},
): Promise<HttpResponse> {
  return accountPage(db, realm, shown, {
    action: `/accounts/sign_up/${key}/`,
    above: html``,
    first: (rest) => field({ ...rest, label: t('Email'), type: 'email', value: email, isReadOnly: true }),
    fullName: given.full_name,
    visibility: given.email_address_visibility,
    imported: (await hasOtherRealms(db, realm.id)) ? given : null,
  })
}

const invalidSignUpPage = (realm: Realm) =>
  expiredLinkPage(
    html`<p>${t('It may have been cut off, or it is more than a day old.')}</p>
<p><a href="/register/">${t('Send a new link')}</a></p>
`,
    realm,
  )

const invitationRequiredPage = (realm: Realm) =>
  renderPage({
    status: 403,
    heading: t('You need an invitation to join {realm}', { realm: realm.name }),
    organization: realm,
    content: html`<p>${t('Ask a member of the organization to invite you.')}</p>
${logInLine()}`,
  })

const fullPage = (realm: Realm) => cannotSignUpPage(realm, noLicensesLeft().message)

/** Returns the page for an organization without free licenses, or for an address that may no longer join. */
const cannotSignUpPage = (realm: Realm, reason: string): HttpResponse =>
  renderPage({
    status: 400,
    heading: t('You cannot join {realm} yet', { realm: realm.name }),
    organization: realm,
    content: html`<p>${reason}</p>
<p>${t('Ask an administrator of the organization for help.')}</p>
`,
  })
