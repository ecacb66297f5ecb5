import { catchRefusal } from '#http/pages/catch-refusal.ts'
import { checkbox, errorSummary, type FormErrors, field, hidden } from '#http/pages/form.ts'
import { redirect, renderPage } from '#http/pages/layout.ts'
import { localPath } from '#http/pages/local-path.ts'
import { type PageCall, page, type RealmPageCall } from '#http/pages/page.ts'
import { logSecurityEvent } from '#http/security-log.ts'
import type { HttpResponse } from '#http/wire/http-types.ts'
import { type Html, html } from '#lib/encoding/html.ts'
import { Refusal } from '#lib/errors/refusal.ts'
import { linkTo, rich } from '#lib/text/rich.ts'
import { t } from '#lib/text/t.ts'
import { notifyNewLogin } from '#people/sessions/notify-new-login.ts'
import { openSession } from '#people/sessions/open-session.ts'
import { deleteSession } from '#people/sessions/queries.ts'
import { expiredSessionCookie, sessionCookie } from '#people/sessions/session-cookie.ts'
import { lockPassword } from '#people/users/passwords/password-queries.ts'
import { findUserByDeliveryEmail } from '#people/users/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { findVerifiedHash } from './password-attempts.ts'

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
  handle({ realm, visitor, query }) {
    const next = localPath(query.get('next') ?? '/')
    if (visitor !== null) return redirect(next)
    const notice = noticeOf(query)
    return loginPage(realm, { email: query.get('email') ?? '', next, keep: 'on' }, { notice })
  },
})

export const login = page({
  route: 'POST /login/',
  who: 'anyone here',
  fields: ['email', 'password', 'keep', 'next'],
  async handle(call, { password, ...given }) {
    const { realm } = call
    const opened = await catchRefusal(() => signIn(call, given.email.trim(), password, given.keep !== ''))
    if (opened instanceof Refusal) return lockedPage(realm, given, opened)
    if (opened === null) return loginPage(realm, given, { status: 400, errors: { email: WRONG_LOGIN } })
    return redirect(localPath(given.next), { 'set-cookie': opened })
  },
})

export const logout = page({
  route: 'POST /logout/',
  who: 'user',
  async handle({ transaction, settings, visitor }) {
    await transaction((tx) => deleteSession(tx, visitor.session.id))
    return redirect('/login/', { 'set-cookie': expiredSessionCookie(settings), 'clear-site-data': CLEAR_CACHE })
  },
})

/**
 * Opens a session that replaces the browser's current one, and returns its cookie. Returns null if the address or the
 * password is wrong. Refuses after too many wrong passwords.
 */
async function signIn(call: RealmPageCall, name: string, password: string, isKept: boolean): Promise<string | null> {
  const { db, realm, visitor, transaction, settings, userAgent, remoteAddress } = call
  const user = await findUserByDeliveryEmail(db, realm.id, name)
  const hash = await findVerifiedHash(call, { user, name, realmId: realm.id, password })
  if (hash === null || user === null) return null
  const cookie = await transaction(async (tx) => {
    // If the password was changed while it was verified, all sessions have been deleted, and no new one may be opened.
    if (!(await lockPassword(tx, user.id, hash))) return null
    if (visitor !== null) await deleteSession(tx, visitor.session.id)
    const { session, token, isNewBrowser } = await openSession(tx, user.id, { isKept, userAgent })
    if (isNewBrowser) await notifyNewLogin(tx, user, { userAgent, remoteAddress })
    return sessionCookie(settings, token, session)
  })
  if (cookie !== null) {
    const facts = { realmId: realm.id, actorId: user.id, targetId: user.id }
    logSecurityEvent(call, 'login', { ...facts, details: { by: 'password' } })
  }
  return cookie
}

function noticeOf(query: PageCall['query']): string | undefined {
  if (query.has('already_registered')) return t('You already have an account with this address. Log in with it.')
  if (query.has('password_changed')) return t('Your password was changed. Log in with the new one.')
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

function lockedPage(realm: Realm, given: LoginInput, refused: Refusal): HttpResponse {
  const seconds = Math.ceil(Number(refused.extras['retry-after'] ?? 1))
  return loginPage(realm, given, {
    status: refused.kind.status,
    errors: { email: lockedError(seconds) },
    headers: { 'retry-after': String(seconds) },
  })
}

function loginPage(
  realm: Realm,
  given: LoginInput,
  { status, errors = {}, notice, headers = {} }: LoginPageOptions,
): HttpResponse {
  return renderPage({
    ...(status !== undefined && { status }),
    heading: t('Log in to {organization}', { organization: realm.name }),
    organization: realm,
    hasErrors: errors['email'] !== undefined,
    headers,
    content: html`${notice !== undefined && html`<div class="notice"><p>${notice}</p></div>\n`}${errorSummary(errors)}${loginForm(given, errors)}
<p><a href="/accounts/password/reset/${addressQuery(given.email)}">${t('Forgot your password?')}</a></p>
${!realm.settings.invite_required && html`<p>${rich('New here? <a>Create an account</a>', { a: linkTo(`/register/${addressQuery(given.email)}`) })}</p>\n`}`,
  })
}

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
