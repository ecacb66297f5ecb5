import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, PASSWORD, sessionsOf, signIn, startWithPassword } from '../../test/browser.ts'
import { csrfCookie, isDueForRenewal, MAX_SESSIONS, openSession, sessionExpiresAt } from './sessions.ts'

test('a kept session is extended while it is used; any other lasts a day', async () => {
  const { chat, ada } = await startWithPassword()
  const day = 86_400
  const kept = await signIn(chat, ada, { isKept: true })
  const other = await signIn(chat, ada)
  const statuses = async () => [(await kept.call('GET /users/me')).status, (await other.call('GET /users/me')).status]

  await chat.clock.advance(day - 1)
  assert.deepEqual(await statuses(), [200, 200])
  await chat.clock.advance(1)
  assert.deepEqual(await statuses(), [200, 401])
  await chat.clock.advance(28 * day)
  assert.deepEqual(await statuses(), [200, 401])
  await chat.clock.advance(29 * day)
  assert.deepEqual(await statuses(), [200, 401])
  await chat.clock.advance(30 * day)
  assert.deepEqual(await statuses(), [401, 401])
})

test('a kept session expires 180 days after the login, even if it is used', async () => {
  const { chat, ada } = await startWithPassword()
  const day = 86_400
  const kept = await signIn(chat, ada, { isKept: true })
  const { transaction } = chat.app.services
  const openedAt = chat.clock.now() - 170 * day
  await transaction((tx) =>
    tx
      .updateTable('sessions')
      .set({ openedAt, expiresAt: tx.now + day })
      .execute(),
  )

  const response = await kept.call('GET /users/me')

  assert.equal(response.status, 200)
  assert.equal((await sessionsOf(chat))[0]?.expiresAt, openedAt + 180 * day)
  assert.deepEqual([daysAlive(31), daysAlive(20), daysAlive(25)], [30, 180, 180])
})

const NO_LIMITS = { session_idle_minutes: null, session_lifetime_minutes: null }

/** Returns the number of days that a kept session lasts if it is used every `interval` days. */
function daysAlive(interval: number): number {
  const day = 86_400
  const session = { id: 1, userId: 1, hash: '', isKept: true, openedAt: 0, expiresAt: 30 * day, confirmedAt: null }
  for (let now = 0; now < session.expiresAt; now += interval * day)
    if (isDueForRenewal(session, now, NO_LIMITS)) session.expiresAt = sessionExpiresAt(session, now, NO_LIMITS)
  return session.expiresAt / day
}

test('an account can have fifty sessions, and another one closes the oldest', async () => {
  const { chat, ada } = await startWithPassword()
  const first = await signIn(chat, ada)
  const second = await signIn(chat, ada)
  const { transaction } = chat.app.services
  for (let more = 2; more < MAX_SESSIONS + 1; more += 1)
    await transaction((tx) => openSession(tx, ada.id, { isKept: true }))

  assert.deepEqual(
    [(await first.call('GET /users/me')).status, (await second.call('GET /users/me')).status],
    [401, 200],
  )
  assert.equal((await sessionsOf(chat)).length, MAX_SESSIONS)
})

test('expired sessions are deleted eventually', async () => {
  const { chat, ada } = await startWithPassword()
  await signIn(chat, ada)
  await chat.clock.advance(2 * 86_400)

  await signIn(chat, ada)

  assert.equal((await sessionsOf(chat)).length, 1)
})

test('a session is only valid in its own organization', async () => {
  const { chat, ada } = await startWithPassword()
  const other = await chat.organization('other')
  await chat.user('olga', { realm: other })
  const browser = await signIn(chat, ada)

  const elsewhere = openBrowser(chat, { host: 'other.parley.test' })
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)

  assert.equal((await elsewhere.call('GET /users/me')).status, 401)
  assert.equal((await elsewhere.open('/')).path, '/login/')
})

test('only a hash of the token is kept, and the cookie is hidden from scripts and other sites', async () => {
  const { chat, ada } = await startWithPassword()

  const browser = await signIn(chat, ada)

  const [token = ''] = browser.cookies.values()
  assert.match(token, /^[\w-]{43}$/)
  const rows = await sessionsOf(chat)
  assert.equal(rows.length, 1)
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(token))
})

test('over HTTPS, the cookie is restricted to this host and to HTTPS', async () => {
  for (const [url, cookie] of [
    ['https://parley.test', /^__Host-parley_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/],
    ['http://parley.test', /^parley_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/],
  ] as const) {
    const { chat, ada } = await startWithPassword({ settings: { EXTERNAL_URL: url } })

    const response = await chat.request({
      method: 'POST',
      path: '/login/',
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: ada.email, password: PASSWORD }).toString(),
    })

    assert.equal(response.status, 302)
    assert.match(String(response.headers['set-cookie']), cookie)
    const isSecure = csrfCookie({ EXTERNAL_URL: url }, 'token').endsWith('; Secure')
    assert.equal(isSecure, url.startsWith('https:'))
  }
})
