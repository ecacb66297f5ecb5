import { type Html, html } from '../../base/html.ts'
import { Refusal } from '../../base/refusal.ts'
import type { Answer } from '../../http/wire/exchange.ts'
import { checkbox, errorSummary, type FormErrors, field, hidden } from '../../pages/form.ts'
import { redirect, showPage } from '../../pages/layout.ts'
import { localPath } from '../../pages/local-path.ts'
import { type PageCall, page } from '../../pages/page.ts'
import { tryTo } from '../../pages/try-to.ts'
import type { Realm } from '../../realms/realm.ts'
import { isPassword } from '../../users/endpoints/password-guesses.ts'
import { findUserByDeliveryEmail } from '../../users/queries.ts'
import type { User } from '../../users/user.ts'
import { openSession } from '../open-session.ts'
import { endSession } from '../queries.ts'
import { noSessionCookie, sessionCookie } from '../session-cookie.ts'

const WRONG = 'The e-mail address or the password is not right.'

type Given = { email: string; next: string; keep: string }

export const showLogin = page({
  route: 'GET /login/',
  who: 'anyone here',
  answer({ realm, visitor, query }) {
    const next = localPath(query.get('next') ?? '/')
    if (visitor !== null) return redirect(next)
    const notice = noticeOf(query)
    return loginPage(realm, { email: query.get('email') ?? '', next, keep: '' }, { notice })
  },
})

export const login = page({
  route: 'POST /login/',
  who: 'anyone here',
  fields: ['email', 'password', 'keep', 'next'],
  async answer(call, { password, ...given }) {
    const { realm } = call
    const found = await tryTo(() => findAccount(call, realm, given.email.trim(), password))
    if (found instanceof Refusal) return lockedPage(realm, given, found)
    if (found === null) return loginPage(realm, given, { status: 400, errors: { email: WRONG } })
    return redirect(localPath(given.next), { 'set-cookie': await signIn(call, found, given.keep !== '') })
  },
})

export const logout = page({
  route: 'POST /logout/',
  who: 'user',
  async answer({ transaction, settings, visitor }) {
    await transaction((tx) => endSession(tx, visitor.session.id))
    return redirect('/login/', { 'set-cookie': noSessionCookie(settings) })
  },
})

/** The account whose password it is; null when there is none. Refused after too many wrong ones. */
async function findAccount(call: PageCall, realm: Realm, name: string, password: string): Promise<User | null> {
  const user = await findUserByDeliveryEmail(call.db, realm.id, name)
  const isRight = await isPassword(call, { user, name, realmId: realm.id, password })
  return isRight && user?.deactivatedAt === null ? user : null
}

/** The cookie of a new session; the one that the browser had ends. */
async function signIn({ transaction, settings, visitor }: PageCall, user: User, isKept: boolean): Promise<string> {
  const { session, token } = await transaction(async (tx) => {
    if (visitor !== null) await endSession(tx, visitor.session.id)
    return openSession(tx, user.id, { isKept })
  })
  return sessionCookie(settings, token, session)
}

function noticeOf(query: PageCall['query']): string | undefined {
  if (query.has('already_registered')) return 'There is an account with this address already. Log in with it.'
  if (query.has('password_changed')) return 'Your password is changed. Log in with the new one.'
  return undefined
}

type Shown = { status?: number; errors?: FormErrors; notice?: string | undefined; headers?: Record<string, string> }

function lockedPage(realm: Realm, given: Given, refused: Refusal): Answer {
  const seconds = Math.ceil(Number(refused.extras['retry-after'] ?? 1))
  return loginPage(realm, given, {
    status: refused.kind.status,
    errors: { email: `Too many attempts. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.` },
    headers: { 'retry-after': String(seconds) },
  })
}

function loginPage(realm: Realm, given: Given, { status, errors = {}, notice, headers = {} }: Shown): Answer {
  const organization = realm.name
  return showPage({
    ...(status !== undefined && { status }),
    heading: `Log in to ${organization}`,
    organization,
    hasErrors: errors['email'] !== undefined,
    headers,
    content: html`${notice !== undefined && html`<div class="notice"><p>${notice}</p></div>\n`}${errorSummary(errors)}${loginForm(given, errors)}
<p><a href="/accounts/password/reset/">Forgot your password?</a></p>
`,
  })
}

function loginForm({ email, next, keep }: Given, errors: FormErrors): Html {
  const isKnown = email !== '' && errors['email'] === undefined
  return html`<form method="post" action="/login/">
${hidden('next', next)}${field({
  name: 'email',
  label: 'E-mail',
  type: 'email',
  value: email,
  autocomplete: 'username',
  error: errors['email'],
  isFocused: !isKnown,
})}${field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'current-password',
  isFocused: isKnown,
})}${checkbox({ name: 'keep', label: 'Keep me signed in', isChosen: keep !== '' })}<button>Log in</button>
</form>`
}
