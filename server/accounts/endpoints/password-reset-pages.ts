import type { HttpResponse } from '#http/http-types.ts'
import {
  checkbox,
  errorSummary,
  expiredLinkPage,
  type FormErrors,
  field,
  redirect,
  renderPage,
} from '#http/page-html.ts'
import { type PageCall, page, type RealmPageCall } from '#http/pages.ts'
import { proofOf } from '#http/proof-of-work.ts'
import { limitByNetwork, mayMail, type RateRule } from '#http/rate-limits.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findSignInMethods } from '#identity/providers.ts'
import { Refusal } from '#lib/errors.ts'
import { html } from '#lib/html.ts'
import { bold, rich, t } from '#lib/text.ts'
import { sendsEmail } from '#mail/delivery.ts'
import { isEmailAddress } from '#people/email-addresses.ts'
import { requireUsablePassword } from '#people/password-rules.ts'
import { logSecurityEvent } from '#people/security-log.ts'
import type { Realm } from '#realms/realm.ts'
import { newPasswordField, resetPasswordAttempts } from '../password-checks.ts'
import {
  findPasswordResetTarget,
  type PasswordResetTarget,
  requestPasswordReset,
  resetPassword,
} from '../reset-password.ts'
import { methodButtons } from '../sign-in.ts'

/** The maximum number of links emailed to an address, and of requests from a network, in one hour. */
const RULES_PER_ADDRESS: readonly RateRule[] = [[3600, 5]]
const RULES_PER_NETWORK: readonly RateRule[] = [[3600, 30]]

export const showForgottenPassword = page({
  route: 'GET /accounts/password/reset/',
  who: 'anyone here',
  handle: async (call) =>
    (await passwordsOffPage(call)) ?? forgottenPasswordPage(call, call.query.get('email') ?? '', {}),
})

export const submitForgottenPassword = page({
  route: 'POST /accounts/password/reset/',
  who: 'anyone here',
  fields: ['email'],
  needsProof: true,
  async handle(call, { email: given }) {
    const { realm, transaction } = call
    const otherPage = await passwordsOffPage(call, 403)
    if (otherPage !== null) return otherPage
    const email = given.trim()
    if (!isEmailAddress(email))
      return forgottenPasswordPage(call, given, { email: t('Enter an email address, such as you@example.com.') })
    // Above the limit, no email is sent, but the response is the same.
    if (await isAllowed(call, realm, email)) {
      const targetId = await transaction((tx) => requestPasswordReset(tx, realm, email))
      logSecurityEvent(call, 'password_reset_requested', { realmId: realm.id, actorId: null, targetId })
    }
    return sentPage(call, realm, email)
  },
})

export const showNewPassword = page({
  route: 'GET /accounts/password/reset/{key}/',
  who: 'anyone here',
  async handle(call, { key }) {
    const { db, secret, clock, realm } = call
    const otherPage = await passwordsOffPage(call)
    if (otherPage !== null) return otherPage
    const found = await findPasswordResetTarget(db, secret, realm, key, clock.now())
    return found === null ? invalidResetPage() : newPasswordPage(realm, key, found, {})
  },
})

export const submitNewPassword = page({
  route: 'POST /accounts/password/reset/{key}/',
  who: 'anyone here',
  fields: ['password', 'end_api_keys'],
  async handle(call, { key, password, end_api_keys }) {
    const { db, secret, clock, realm, transaction, passwords, settings } = call
    const otherPage = await passwordsOffPage(call, 403)
    if (otherPage !== null) return otherPage
    const found = await findPasswordResetTarget(db, secret, realm, key, clock.now())
    if (found === null) return invalidResetPage()
    const { deliveryEmail: email } = found.user
    const newHash = await catchRefusal(async () => {
      requireUsablePassword(password, { email, organization: realm.name }, settings)
      return passwords.hash(password)
    })
    if (newHash instanceof Refusal) return newPasswordPage(realm, key, found, { password: newHash.message })

    const isDone = await transaction((tx) => resetPassword(tx, found, { newHash, deletesApiKeys: end_api_keys !== '' }))
    if (!isDone) return invalidResetPage()
    await resetPasswordAttempts(call, { realmId: realm.id, name: email, userId: found.user.id })
    return redirect(`/login/?email=${encodeURIComponent(email)}&password_changed=1`)
  },
})

/**
 * Returns the page in place of all others here if the organization has turned passwords off; null if it uses them. No
 * email is sent then, and links that were sent before do nothing.
 */
async function passwordsOffPage({ db, realm }: RealmPageCall, status = 200): Promise<HttpResponse | null> {
  const methods = await findSignInMethods(db, realm)
  if (methods.isPasswordEnabled) return null
  const { isDirectoryEnabled, directories } = methods
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(directories.map((one) => one.displayName))
  const buttons = methodButtons(methods, { next: '/' })
  return renderPage({
    status,
    heading: t('No password to reset'),
    organization: realm,
    content: html`<p>${t('Accounts of {organization} have no passwords of their own.', { organization: realm.name })}</p>
${isDirectoryEnabled && html`<p>${t('The password with which you sign in is that of {directory}. Reset it there.', { directory: names })}</p>\n`}${buttons !== null && html`<p>${t('Sign in with an account of another service:')}</p>\n`}${buttons}<p><a href="/login/">${t('Back to sign-in')}</a></p>
`,
  })
}

/**
 * Returns whether another link may be emailed to the address. Refuses if there were too many requests from the network.
 */
async function isAllowed(call: PageCall, realm: Realm, email: string): Promise<boolean> {
  await limitByNetwork(call, 'password resets', RULES_PER_NETWORK)
  return mayMail(call, `password resets in organization ${realm.id}`, email, RULES_PER_ADDRESS)
}

function forgottenPasswordPage(call: RealmPageCall, email: string, errors: FormErrors): HttpResponse {
  const { realm } = call
  const proof = proofOf(call, '/accounts/password/reset/')
  const hasErrors = errors['email'] !== undefined
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading: t('Forgot your password?'),
    organization: realm,
    hasErrors,
    headers: proof.headers,
    content: html`${errorSummary(errors)}<p>${t('We will email you a link to choose a new one.')}</p>
<form method="post" action="/accounts/password/reset/">
${field({
  name: 'email',
  label: t('Email'),
  type: 'email',
  value: email,
  autocomplete: 'username',
  error: errors['email'],
  isFocused: true,
})}${proof.field}<button>${t('Send link')}</button>
</form>
<p><a href="/login/">${t('Back to sign-in')}</a></p>
`,
  })
}

function sentPage(call: PageCall, realm: Realm, email: string): HttpResponse {
  const isSent = sendsEmail(call)
  return renderPage({
    heading: isSent ? t('Check your email') : t('This server cannot send email'),
    organization: realm,
    content: html`${
      isSent
        ? html`<p>${rich('If there is an account with the address <b>{email}</b>, we have sent an email to it. The link in the email works once and expires after an hour.', { email, b: bold })}</p>
<p>${t('No email after a few minutes? Check your spam folder, and make sure that this is the address you log in with.')}</p>`
        : html`<p>${rich('If there is an account with the address <b>{email}</b>, the operator of the server can give you a link. It works once and expires after an hour.', { email, b: bold })}</p>`
    }
<p><a href="/login/">${t('Back to sign-in')}</a></p>
`,
  })
}

function newPasswordPage(
  realm: Realm,
  key: string,
  { user, isFirst }: PasswordResetTarget,
  errors: FormErrors,
): HttpResponse {
  const email = user.deliveryEmail
  const hasErrors = errors['password'] !== undefined
  return renderPage({
    ...(hasErrors && { status: 400 }),
    heading: t('Choose a new password'),
    organization: realm,
    hasErrors,
    content: html`${errorSummary(errors)}<form method="post" action="/accounts/password/reset/${key}/">
${field({ name: 'email', label: t('Your account'), type: 'email', value: email, autocomplete: 'username', isReadOnly: true })}${newPasswordField(
  { label: t('New password'), error: errors['password'], isFocused: true, organization: realm.name },
)}${checkbox({
  name: 'end_api_keys',
  label: t('Also revoke all API keys, including those of your bots, so that apps, terminals and bots need new ones'),
  // The command that made the link for a new account may have printed a key for it.
  isChosen: !isFirst,
})}<p>${t('You will be logged out in all browsers.')}</p>
<button>${t('Set password')}</button>
</form>
`,
  })
}

const invalidResetPage = () =>
  expiredLinkPage(html`<p>${t('It was already used, it is more than an hour old, or your password has been changed since.')}</p>
<p><a href="/accounts/password/reset/">${t('Send a new link')}</a></p>
`)
