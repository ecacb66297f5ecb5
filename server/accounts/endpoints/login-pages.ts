import type { HttpResponse } from '#http/http-types.ts'
import { checkbox, errorSummary, type FormErrors, field, hidden, redirect, renderPage } from '#http/page-html.ts'
import { localPath, type PageCall, page, type RealmPageCall } from '#http/pages.ts'
import { catchRefusal } from '#http/refusals.ts'
import { Refusal } from '#lib/errors.ts'
import { type Html, html } from '#lib/html.ts'
import { linkTo, rich, t } from '#lib/text.ts'
import { recordAudit } from '#people/audit.ts'
import { lockPassword } from '#people/passwords.ts'
import { deleteSession, expiredSessionCookie } from '#people/sessions.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { allowsSpectators, type Realm } from '#realms/realm.ts'
import { findVerifiedHash } from '../passwords.ts'
import { passkeyForm } from '../second-factor/pages.ts'
import { completeSignIn } from '../sign-in.ts'

const WRONG_LOGIN = t('The email address or the password is incorrect.')

/**
 * Makes the browser clear its cache for this origin, including pictures and files of messages. It does not clear
 * storage: the web client removes only this user's content there, so that the theme, push subscriptions and other
 * users' drafts stay.
 */
const CLEAR_CACHE = '"cache"'

type LoginInput = { email: string; next: string; keep: string }

export const showLogin = page({
  route: 'GET /login/',
  who: 'anyone here',
  handle(call) {
    const { visitor, query } = call
    const next = localPath(query.get('next') ?? '/')
    if (visitor !== null) return redirect(next)
    const notice = noticeOf(query)
    return loginPage(call, { email: query.get('email') ?? '', next, keep: 'on' }, { notice })
  },
})

export const login = page({
  route: 'POST /login/',
  who: 'anyone here',
  fields: ['email', 'password', 'keep', 'next'],
  async handle(call, { password, ...given }) {
    const response = await catchRefusal(() => signIn(call, password, given))
    if (response instanceof Refusal) return lockedPage(call, given, response)
    return response ?? loginPage(call, given, { status: 400, errors: { email: WRONG_LOGIN } })
  },
})

export const logout = page({
  route: 'POST /logout/',
  who: 'user',
  async handle({ transaction, settings, visitor }) {
    const { actor, session } = visitor
    await transaction(async (tx) => {
      await deleteSession(tx, session.id)
      await recordAudit(tx, actor.realmId, 'logout', { targetId: actor.id })
    })
    return redirect('/login/', { 'set-cookie': expiredSessionCookie(settings), 'clear-site-data': CLEAR_CACHE })
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
  const hash = await findVerifiedHash(call, { user, name, realmId: realm.id, password })
  if (hash === null || user === null) return null
  return completeSignIn(call, user, {
    by: 'password',
    goal: { kind: 'browser', next: given.next, isKept: given.keep !== '' },
    // If the password was changed while it was verified, all sessions have been deleted, and no new one may be opened.
    lock: (tx) => lockPassword(tx, user.id, hash),
  })
}

function noticeOf(query: PageCall['query']): string | undefined {
  if (query.has('already_registered')) return t('You already have an account with this address. Log in with it.')
  if (query.has('password_changed')) return t('Your password was changed. Log in with the new one.')
  if (query.has('expired')) return t('Your login took too long. Log in again.')
  if (query.has('passkey_refused')) return t('The passkey was not accepted. Try again, or use your password.')
  if (query.get('logged_out') === 'kept') return t('You were logged out. Your message is kept.')
  if (query.has('logged_out')) return t('You were logged out.')
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
        'Too many attempts. Choose a new password with “Forgot your password?”, or log in from a network where you have logged in before.',
      )
    : t('Too many attempts. Try again in {seconds} {seconds, plural, one {second} other {seconds}}.', { seconds })

function lockedPage(call: RealmPageCall, given: LoginInput, refused: Refusal): HttpResponse {
  const seconds = Math.ceil(Number(refused.extras['retry-after'] ?? 1))
  return loginPage(call, given, {
    status: refused.kind.status,
    errors: { email: lockedError(seconds) },
    headers: { 'retry-after': String(seconds) },
  })
}

function loginPage(
  call: RealmPageCall,
  given: LoginInput,
  { status, errors = {}, notice, headers = {} }: LoginPageOptions,
): HttpResponse {
  const { realm } = call
  return renderPage({
    ...(status !== undefined && { status }),
    heading: t('Log in to {organization}', { organization: realm.name }),
    organization: realm,
    hasErrors: errors['email'] !== undefined,
    headers,
    content: html`${notice !== undefined && html`<div class="notice"><p>${notice}</p></div>\n`}${errorSummary(errors)}${loginForm(given, errors)}
<p><a href="/accounts/password/reset/${addressQuery(given.email)}">${t('Forgot your password?')}</a></p>
${passkeyForm(call, realm, { next: given.next, keep: given.keep })}${!realm.settings.invite_required && html`<p>${rich('New here? <a>Create an account</a>', { a: linkTo(`/register/${addressQuery(given.email)}`) })}</p>\n`}${publicChannelsLink(realm)}`,
  })
}

/** Returns the link to the channels that need no account; null if the organization has none. */
const publicChannelsLink = (realm: Realm): Html | null =>
  allowsSpectators(realm) ? html`<p><a href="/public/">${t('Read public channels')}</a></p>\n` : null

function loginForm({ email, next, keep }: LoginInput, errors: FormErrors): Html {
  const isKnown = email !== '' && errors['email'] === undefined
  return html`<form method="post" action="/login/">
${hidden('next', next)}${field({
  name: 'email',
  label: t('Email'),
  type: 'email',
  value: email,
  autocomplete: 'username',
  error: errors['email'],
  isFocused: !isKnown,
})}${field({
  name: 'password',
  label: t('Password'),
  type: 'password',
  autocomplete: 'current-password',
  isFocused: isKnown,
})}${checkbox({ name: 'keep', label: t('Keep me logged in'), isChosen: keep !== '' })}<button>${t('Log in')}</button>
</form>`
}
