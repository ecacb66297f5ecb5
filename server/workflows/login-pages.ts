import { passkeyForm } from '#accounts/endpoints.ts'
import {
  completeSignIn,
  goalHeaders,
  goalParameters,
  methodButtons,
  orWithEmail,
  readSignInGoal,
} from '#accounts/sign-in.ts'
import type { HttpResponse } from '#http/http-types.ts'
import { checkbox, errorSummary, type FormErrors, field, hidden, redirect, renderPage } from '#http/page-html.ts'
import { type PageCall, page, type RealmPageCall, withCookies } from '#http/pages.ts'
import { catchRefusal } from '#http/refusals.ts'
import { findOwnerOfIdentity } from '#identity/external-identities.ts'
import { readSamlSession, type SignInGoal, samlSessionCookie } from '#identity/pending-sign-ins.ts'
import { findSignInMethods, type SignInMethods, takesPasswords } from '#identity/providers.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { recordAudit } from '#people/audit.ts'
import { isSecondFactorMissing } from '#people/authentication.ts'
import { lockPassword } from '#people/password-hashes.ts'
import { deleteSession, expiredSessionCookie } from '#people/sessions.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { allowsSpectators, type Realm, realmAddress } from '#realms/realm.ts'
import { arrive, findSourceToConnect, refusedPage } from './external-sign-in-pages.ts'
import { checkPassword } from './password-sign-in.ts'
import { completeFromEntry } from './sync-directory.ts'

const PASSWORDS_OFF = t('This organization does not use passwords. Choose another way to sign in.')
const FACTOR_MISSING = t('Your organization requires two-step login. Sign in to set it up.')
const WRONG_LOGIN = t('The email address or the password is incorrect.')
const WRONG_NAME = t('The user name or the password is incorrect.')

/**
 * Makes the browser clear its cache for this origin, including pictures and files of messages. It does not clear
 * storage: the web client removes only this user's content there, so that the theme, push subscriptions and other
 * users' drafts stay.
 */
const CLEAR_CACHE = '"cache"'

/** `invitation` is the key of the invitation with which a person of a directory joins; '' for none. */
type LoginInput = { email: string; goal: SignInGoal; keep: string; invitation: string }

const showLogin = page({
  route: 'GET /login/',
  who: 'anyone here',
  async handle(call) {
    const { visitor, query } = call
    const goal = readSignInGoal(query, true)
    if (visitor !== null && goal.kind === 'browser' && !query.has('again')) return redirect(goal.next)
    return loginPage(
      call,
      { email: query.get('email') ?? '', goal, keep: 'on', invitation: query.get('invitation') ?? '' },
      { notice: (await isSecondFactorMissing(call, call)) ? FACTOR_MISSING : noticeOf(query) },
    )
  },
})

const login = page({
  route: 'POST /login/',
  who: 'anyone here',
  fields: ['email', 'password', 'keep', 'invitation', 'next', 'mobile_flow_otp', 'desktop_flow_otp', 'desktop_browser'],
  async handle(call, { email, password, keep, invitation, ...rest }) {
    const given = { email, keep, invitation, goal: readSignInGoal(new Map(Object.entries(rest)), keep !== '') }
    const methods = await findSignInMethods(call.db, call.realm)
    if (!takesPasswords(methods)) return loginPage(call, given, { status: 403, notice: PASSWORDS_OFF })
    const response = await catchRefusal(() => signIn(call, password, given))
    if (response instanceof Refusal) return lockedPage(call, given, response)
    if (response !== null) return response
    const error = methods.isDirectoryEnabled ? WRONG_NAME : WRONG_LOGIN
    return loginPage(call, given, { status: 400, errors: { email: error } })
  },
})

const logout = page({
  route: 'POST /logout/',
  who: 'user',
  async handle(call) {
    const { db, transaction, settings, visitor } = call
    const { actor, session } = visitor
    await transaction(async (tx) => {
      await deleteSession(tx, session.id)
      await recordAudit(tx, actor.realmId, 'logout', { targetId: actor.id })
    })
    const kept = readSamlSession(call)
    const isOwn =
      kept !== null && (await findOwnerOfIdentity(db, actor.realmId, { ...kept, email: null }))?.userId === actor.id
    // The session of another person at an identity provider is not ended by this one.
    const cookies = [expiredSessionCookie(settings), ...(kept === null || isOwn ? [] : [samlSessionCookie(call, null)])]
    return withCookies(redirect('/login/', { 'clear-site-data': CLEAR_CACHE }), cookies)
  },
})

/**
 * Signs the user in and returns the response. Returns null if the address or the password is wrong. Refuses after too
 * many wrong passwords.
 */
async function signIn(call: RealmPageCall, password: string, given: LoginInput): Promise<HttpResponse | null> {
  const { db, realm } = call
  const name = given.email.trim()
  const user = await findUserByDeliveryEmail(db, realm.id, name)
  const proof = await checkPassword(call, realm, { user, name, password })
  const { goal } = given
  if (proof === null) return null
  if (proof.by === 'password')
    return completeSignIn(call, proof.user, {
      by: 'password',
      goal,
      // If the password was changed while it was verified, all sessions have been deleted, and no new one may be opened.
      lock: (tx) => lockPassword(tx, proof.user.id, proof.hash),
    })
  const { directory } = proof
  if (proof.by === null) {
    const error = t("{directory} can't be reached at the moment. Try again in a few minutes.", {
      directory: directory.displayName,
    })
    return loginPage(call, given, { status: 503, errors: { email: error } })
  }
  const { entry, identity } = proof
  if (entry.isDisabled) return refusedPage(realm, DISABLED)
  return arrive(call, directory, identity, {
    goal,
    invitation: given.invitation,
    linksByAddress: directory.link_by_address,
    ignoresVisitor: true,
    onJoined: (joined) => completeFromEntry(call, realm, directory, entry, joined),
  })
}

const DISABLED = t('Your account is disabled in the directory. Ask those who manage it to enable it.')

function noticeOf(query: PageCall['query']): string | undefined {
  if (query.has('already_registered')) return t('You already have an account with this address. Sign in with it.')
  if (query.has('password_changed')) return t('Your password was changed. Sign in with the new one.')
  if (query.has('again')) return t('Sign in again to confirm that it’s you.')
  if (query.has('expired')) return t('Your login took too long. Sign in again.')
  if (query.has('passkey_refused')) return t('The passkey was not accepted. Try again, or use your password.')
  if (query.get('logged_out') === 'kept') return t('You were signed out. Your message is kept.')
  if (query.get('logged_out') === 'here')
    return t('You were signed out here, but perhaps not at the service with which you signed in. Sign out there, too.')
  if (query.has('logged_out')) return t('You were signed out.')
  return undefined
}

/** Returns the query string that fills in the address on the next page. */
const addressQuery = (email: string) => (email === '' ? '' : `?email=${encodeURIComponent(email)}`)

type LoginPageOptions = {
  status?: number
  errors?: FormErrors
  notice?: string | undefined
  headers?: Record<string, string>
}

/** Returns the error for too many attempts. A wait of more than an hour means that new networks are locked out. */
const lockedError = (seconds: number) =>
  seconds > 3600
    ? t(
        'Too many attempts. Choose a new password with “Forgot it?”, or sign in from a network where you have signed in before.',
      )
    : t('Too many attempts. Try again in {seconds} {seconds, plural, one {second} other {seconds}}.', { seconds })

function lockedPage(call: RealmPageCall, given: LoginInput, refused: Refusal): Promise<HttpResponse> {
  const seconds = Math.ceil(Number(refused.extras['retry-after'] ?? 1))
  return loginPage(call, given, {
    status: refused.kind.status,
    errors: { email: lockedError(seconds) },
    headers: { 'retry-after': String(seconds) },
  })
}

async function loginPage(
  call: RealmPageCall,
  given: LoginInput,
  { status, errors = {}, notice, headers = {} }: LoginPageOptions,
): Promise<HttpResponse> {
  const { db, realm, settings } = call
  const source = await findSourceToConnect(call, given.goal)
  const methods = await findSignInMethods(db, realm)
  const { isPasswordEnabled, isDirectoryEnabled, external } = methods
  const takesPassword = takesPasswords(methods)
  const parameters = goalParameters(given.goal)
  // A sign-in with what is to be connected would only lead to the same question again.
  const buttons = methodButtons({ ...methods, external: external.filter(({ id }) => id !== source?.id) }, parameters)
  const passkeys = passkeyForm(call, realm, { ...parameters, keep: given.keep })
  const { hostName } = realmAddress(realm.subdomain, settings.EXTERNAL_URL)
  return renderPage({
    ...(status !== undefined && { status }),
    heading: source === null ? t('Welcome back') : t('Confirm it’s you'),
    organization: realm,
    hasErrors: errors['email'] !== undefined,
    headers: { ...goalHeaders(given.goal), ...headers },
    content: html`<p class="quiet">${
      source === null
        ? t('Sign in to {address}', { address: hostName })
        : t('Sign in to connect {provider} to your account.', { provider: source.displayName })
    }</p>
${notice !== undefined && html`<div class="notice"><p>${notice}</p></div>\n`}${errorSummary(errors)}${buttons}${passkeys}${
  takesPassword &&
  html`${(buttons ?? passkeys) !== null && (isDirectoryEnabled ? orWithPassword : orWithEmail)}${loginForm(given, errors, { isPasswordEnabled, isDirectoryEnabled })}`
}${source === null ? otherWays(realm, given, isPasswordEnabled) : html`<p class="below">${rich('Can’t sign in? <a>Get a link by email</a>', { a: linkTo(parameters['next'] ?? '/') })}</p>\n`}`,
  })
}

/** Renders the links for people without an account. */
const otherWays = (realm: Realm, { email }: LoginInput, isPasswordEnabled: boolean): Html =>
  html`${isPasswordEnabled && !realm.settings.invite_required && html`<p class="below">${rich('No account yet? <a>Create one</a>', { a: linkTo(`/register/${addressQuery(email)}`) })}</p>\n`}${publicChannelsLink(realm)}`

/** Returns the link to the channels that need no account; null if the organization has none. */
const publicChannelsLink = (realm: Realm): Html | null =>
  allowsSpectators(realm) ? html`<p class="below"><a href="/public/">${t('Read public channels')}</a></p>\n` : null

const orWithPassword = html`<p class="divider">${t('or with your password')}</p>
`

function loginForm(
  { email, goal, keep, invitation }: LoginInput,
  errors: FormErrors,
  { isPasswordEnabled, isDirectoryEnabled }: Pick<SignInMethods, 'isPasswordEnabled' | 'isDirectoryEnabled'>,
): Html {
  const isKnown = email !== '' && errors['email'] === undefined
  return html`<form method="post" action="/login/">
${Object.entries(goalParameters(goal)).map(([name, value]) => hidden(name, value))}${invitation !== '' && hidden('invitation', invitation)}${field(
  {
    name: 'email',
    label: isDirectoryEnabled ? t('Email or user name') : t('Email'),
    type: isDirectoryEnabled ? 'text' : 'email',
    value: email,
    autocomplete: 'username',
    error: errors['email'],
    isFocused: !isKnown,
  },
)}${field({
  name: 'password',
  label: t('Password'),
  type: 'password',
  autocomplete: 'current-password',
  isFocused: isKnown,
  ...(isPasswordEnabled && {
    aside: html`<a href="/accounts/password/reset/${addressQuery(email)}">${t('Forgot it?')}</a>`,
  }),
})}${checkbox({ name: 'keep', label: t('Keep me signed in on this device'), isChosen: keep !== '' })}<button>${t('Sign in')}</button>
</form>
`
}

export const loginPages = [showLogin, login, logout]
