import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PASSWORD, submitPassword } from '../../test/browser.ts'
import { press, requireMailedLink } from '../../test/email-changes.ts'
import { startChat } from '../../test/harness.ts'

const DAY = 86_400

async function startLogin({ RATE_LIMITING = true, limitsAttempts = true } = {}) {
  const chat = await startChat({ settings: { RATE_LIMITING, TRUST_X_REAL_IP: true }, limitsAttempts })
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  const post = (address: string, path: string, fields: Record<string, string>) =>
    chat.request({
      method: 'POST',
      path,
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded', 'x-real-ip': address },
      body: new URLSearchParams(fields).toString(),
    })
  const logIn = async (address: string, password = PASSWORD, username = ben.email) =>
    (await post(address, '/api/v1/fetch_api_key', { username, password })).status
  /** Tries `count` wrong passwords, each from its own network. Returns the number of attempts that no limit refused. */
  const tryPasswords = async (networkAt: (at: number) => string, count: number, name = ben.email) => {
    let attempts = 0
    for (let at = 0; at < count; at += 1) if ((await logIn(networkAt(at), 'wrong horse', name)) === 401) attempts += 1
    return attempts
  }
  return { chat, ben, post, logIn, tryPasswords }
}

const inOneSite = (at: number) => `2001:db8:1:${at.toString(16)}::1`
const anywhere = (at: number) => `198.51.100.${at}`

test('attempts for an account from the networks of an IPv6 site are limited together', async () => {
  const { chat, logIn, tryPasswords } = await startLogin()

  const attempts = await tryPasswords(inOneSite, 30)
  const more = [await logIn(inOneSite(40)), await logIn('2001:db8:2::1')]
  await chat.clock.advance(1801)

  assert.equal(attempts, 20)
  assert.deepEqual(more, [429, 200])
  assert.equal(await logIn(inOneSite(41)), 200)
})

test('attempts for an account from all networks are limited for a day, whether the account exists or not', async () => {
  const { chat, logIn, tryPasswords } = await startLogin()

  const attempts = await tryPasswords(anywhere, 110)
  const forMissingAccount = await tryPasswords((at) => `203.0.113.${at}`, 110, 'nobody@example.com')
  const locked = await logIn('192.0.2.1')
  await chat.clock.advance(DAY)

  assert.deepEqual([attempts, forMissingAccount, locked], [100, 100, 429])
  assert.equal(await logIn('192.0.2.1'), 200)
})

test('attempts are limited without RATE_LIMITING too, except in servers for tests', async () => {
  const production = await startLogin({ RATE_LIMITING: false })
  const inProduction = await production.tryPasswords(() => '192.0.2.1', 20)
  const forTests = await startLogin({ RATE_LIMITING: false, limitsAttempts: false })
  const inTests = await forTests.tryPasswords(() => '192.0.2.1', 20)

  assert.deepEqual([inProduction, inTests], [5, 20])
})

test('a user cannot be locked out in a network where they have logged in before', async () => {
  const { logIn, tryPasswords } = await startLogin()
  await logIn('192.0.2.1')
  await logIn(inOneSite(1))
  await tryPasswords((at) => inOneSite(at + 2), 30)
  await tryPasswords(anywhere, 110)

  const known = [await logIn('192.0.2.1'), await logIn(inOneSite(1))]

  assert.deepEqual([...known, await logIn('192.0.2.2')], [200, 200, 429])
  const statuses: number[] = []
  for (let attempt = 0; attempt < 6; attempt += 1) statuses.push(await logIn('192.0.2.1', 'wrong horse'))
  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
})

test('a user who is locked out elsewhere can reset the password, and the network becomes known', async () => {
  const { chat, ben, post, logIn, tryPasswords } = await startLogin()
  await tryPasswords(anywhere, 100)
  const page = await post('192.0.2.7', '/login/', { email: ben.email, password: PASSWORD })
  await post('192.0.2.7', '/accounts/password/reset/', { email: ben.email })

  await post('192.0.2.7', await requireMailedLink(chat, ben.email), { password: 'a newer horse' })
  await tryPasswords(anywhere, 110)

  assert.equal(page.status, 429)
  assert.match(page.body, /Choose a new password with “Forgot it\?”/)
  assert.equal(await logIn('192.0.2.7', 'a newer horse'), 200)
})

test('attempts by others do not prevent a logged-in user from entering their password', async () => {
  const { ben, tryPasswords } = await startLogin()
  await tryPasswords(anywhere, 100)
  const elsewhere = { 'x-real-ip': '192.0.2.9' }

  const created = await ben.call('POST /users/me/api_keys', { password: PASSWORD, name: 'shell' }, elsewhere)

  assert.equal(created.result, 'success')
})

test('a known network is stored as a hash, and is forgotten after half a year or when the password changes', async () => {
  const { chat, ben, logIn, tryPasswords } = await startLogin()
  await logIn('192.0.2.1')
  await press(chat, '/accounts/password/reset/', new URLSearchParams({ email: ben.email }).toString())
  const reset = await requireMailedLink(chat, ben.email)
  const { db, transaction } = chat.app.services
  const rows = await db.selectFrom('knownPlaces').selectAll().where('place', 'not like', 'browser %').execute()
  await transaction((tx) =>
    tx
      .updateTable('knownPlaces')
      .set({ lastAt: tx.now - 181 * DAY })
      .execute(),
  )
  await tryPasswords(anywhere, 100)

  const forgotten = await logIn('192.0.2.1')
  await transaction((tx) => tx.updateTable('knownPlaces').set({ lastAt: tx.now }).execute())
  const known = await logIn('192.0.2.1')
  await press(chat, reset, new URLSearchParams({ password: 'a newer horse' }).toString())
  await tryPasswords(anywhere, 100)

  assert.equal(rows.length, 1)
  assert.doesNotMatch(JSON.stringify(rows), /192\.0\.2/)
  assert.deepEqual([forgotten, known, await logIn('192.0.2.1', 'a newer horse')], [429, 200, 429])
})

test('changing the password forgets the known networks, except the current one', async () => {
  const { ben, chat, logIn, tryPasswords } = await startLogin()
  await logIn('192.0.2.1')
  const authorization = `Basic ${btoa(`${ben.email}:${ben.apiKey}`)}`
  const passwords = { old_password: PASSWORD, new_password: 'a newer horse' }

  const changed = await chat.request({
    method: 'PATCH',
    path: '/api/v1/settings',
    headers: {
      host: 'parley.test',
      authorization,
      'content-type': 'application/x-www-form-urlencoded',
      'x-real-ip': '192.0.2.2',
    },
    body: new URLSearchParams(passwords).toString(),
  })
  await tryPasswords(anywhere, 100)

  assert.equal(changed.status, 200, changed.body)
  const statuses = [await logIn('192.0.2.1', 'a newer horse'), await logIn('192.0.2.2', 'a newer horse')]
  assert.deepEqual(statuses, [429, 200])
})
