import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '#config.ts'
import { MAX_API_KEYS } from '#people/api-keys.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { saveRealmFields } from '#realms/queries.ts'
import { BotType } from '#rules/role.ts'
import { type Body, type Chat, startChat } from '../../test/harness.ts'

const PASSWORD = 'correct horse'

/** Starts a chat with Ben, who has a password. `login` requests an API key with an address and a password. */
async function startLogin(settings: Partial<Settings> = {}) {
  const chat = await startChat({ settings })
  const ben = await chat.user('ben')
  await givePassword(chat, ben.id)
  return { chat, ben, login: loginTo(chat) }
}

async function givePassword(chat: Chat, userId: number): Promise<void> {
  const passwordHash = await chat.app.services.passwords.hash(PASSWORD)
  await chat.app.services.transaction((tx) => saveUserFields(tx, userId, { passwordHash }))
}

type Headers = { host?: string; 'user-agent'?: string; 'x-real-ip'?: string }

const loginTo =
  (chat: Chat) =>
  async (username: string, password = PASSWORD, headers: Headers = {}): Promise<Body> => {
    const response = await chat.request({
      method: 'POST',
      path: '/api/v1/fetch_api_key',
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ username, password }).toString(),
    })
    return { status: response.status, headers: response.headers, ...JSON.parse(response.body) }
  }

const failure = { status: 401, code: 'AUTHENTICATION_FAILED', msg: 'Your username or password is incorrect' }

test('an address and its password return a working API key', async () => {
  const { chat, ben, login } = await startLogin()

  const response = await login(' BEN@example.com')

  assert.partialDeepStrictEqual(response, { status: 200, email: 'ben@example.com', user_id: ben.id })
  assert.match(response['api_key'], /^[A-Za-z0-9]{32}$/)
  const authorization = `Basic ${Buffer.from(`ben@example.com:${response['api_key']}`).toString('base64')}`
  const own = await chat.request({
    method: 'GET',
    path: '/api/v1/users/me',
    headers: { host: 'parley.test', authorization },
  })
  assert.equal(own.status, 200)
})

test('the API address works like the real one', async () => {
  const { ben, login } = await startLogin()
  await ben.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.nobody })

  const responses = [await login(`user${ben.id}@parley.test`), await login('ben@example.com')]

  for (const response of responses) assert.partialDeepStrictEqual(response, { status: 200, email: 'ben@example.com' })
})

test('an unknown address, a wrong password, a bot and an account without a password get the same error', async () => {
  const { chat, ben, login } = await startLogin()
  await chat.user('cleo')
  await chat.user('robo', { botType: BotType.generic, owner: ben })

  const responses = [
    await login('nobody@example.com'),
    await login(''),
    await login('a\0b@example.com'),
    await login('ben@example.com', 'battery staple'),
    await login('ben@example.com', ''),
    await login('cleo@example.com', ''),
    await login('robo@example.com', ''),
  ]

  for (const { headers: _, result: __, ...response } of responses) assert.deepEqual(response, failure)
})

test('only a correct password reveals that an account or organization is deactivated', async () => {
  const { chat, ben, login } = await startLogin()
  const { transaction } = chat.app.services
  await transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: tx.now }))

  const wrong = await login('ben@example.com', 'battery staple')
  const account = await login('ben@example.com')
  await transaction((tx) => saveRealmFields(tx, chat.realm.id, { deactivatedAt: tx.now }))
  const organization = await login('ben@example.com')

  assert.partialDeepStrictEqual(wrong, failure)
  assert.partialDeepStrictEqual(account, { status: 401, code: 'USER_DEACTIVATED', msg: 'Account is deactivated' })
  assert.partialDeepStrictEqual(organization, {
    status: 401,
    code: 'REALM_DEACTIVATED',
    msg: 'This organization has been deactivated',
  })
})

test('an account can only log in to its own organization', async () => {
  const { chat, login } = await startLogin()
  await chat.organization('other')

  const elsewhere = await login('ben@example.com', PASSWORD, { host: 'other.parley.test' })
  const nowhere = await login('ben@example.com', PASSWORD, { host: 'missing.parley.test' })

  assert.partialDeepStrictEqual(elsewhere, failure)
  assert.partialDeepStrictEqual(nowhere, { status: 404, code: 'NONEXISTENT_SUBDOMAIN' })
})

const as = (client: string) => ({ 'user-agent': `${client}/1.0` })

/** Returns whether requests with the key are accepted. */
async function isValid(chat: Chat, key: string): Promise<boolean> {
  const authorization = `Basic ${Buffer.from(`ben@example.com:${key}`).toString('base64')}`
  const { status } = await chat.request({
    method: 'GET',
    path: '/api/v1/users/me',
    headers: { host: 'parley.test', authorization },
  })
  return status === 200
}

test('a program that logs in again and again replaces its own keys, and no others', async () => {
  const { chat, ben, login } = await startLogin()
  const phone = (await login('ben@example.com', PASSWORD, as('ZulipMobile')))['api_key']
  const created = (await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: 'job' }))['api_key']
  const keys: string[] = []

  for (let count = 0; count < MAX_API_KEYS + 5; count += 1) {
    await chat.clock.advance(1)
    keys.push((await login('ben@example.com', PASSWORD, as('job')))['api_key'])
  }

  assert.equal(await isValid(chat, phone), true)
  assert.equal(await isValid(chat, created), true)
  // The keys that remain are the newest ones. One of the twenty keys belongs to the phone.
  assert.deepEqual(await Promise.all(keys.map((key) => isValid(chat, key))), [
    ...Array<boolean>(6).fill(false),
    ...Array<boolean>(MAX_API_KEYS - 1).fill(true),
  ])
})

test('above 20 logins of as many clients, the least recently used key of a login is deleted', async () => {
  const { chat, ben, login } = await startLogin()
  const created = (await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: 'weekly' }))['api_key']
  const keys: string[] = []
  for (let at = 0; at < MAX_API_KEYS; at += 1) {
    await chat.clock.advance(1)
    keys.push((await login('ben@example.com', PASSWORD, as('a'.repeat(at + 1))))['api_key'])
  }
  await chat.clock.advance(1)
  assert.equal(await isValid(chat, keys[0] ?? ''), true)

  await login('ben@example.com', PASSWORD, as('curl'))

  assert.equal(await isValid(chat, created), true)
  // The oldest key was just used, so the next one was deleted.
  assert.deepEqual(
    await Promise.all(keys.map((key) => isValid(chat, key))),
    keys.map((_, at) => at !== 1),
  )
})

test('above 20 keys that were created on purpose, the least recently used one is deleted', async () => {
  const { chat, ben, login } = await startLogin()
  const byLogin = (await login('ben@example.com', PASSWORD, as('curl')))['api_key']
  for (let count = 1; count < MAX_API_KEYS; count += 1)
    await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: `key ${count}` })
  await chat.clock.advance(1)
  await ben.succeed('GET /users/me')

  await ben.succeed('POST /users/me/api_keys', { password: PASSWORD, name: 'last' })

  const { api_keys: left } = await ben.succeed('GET /users/me/api_keys')
  const names = left.map(({ client }: { client: string }) => client)
  assert.equal(await isValid(chat, byLogin), true)
  assert.deepEqual([names.length, names.includes('test'), names.includes('key 1')], [MAX_API_KEYS + 1, true, false])
})

test('a name that no database can store matches no account', async () => {
  const { login } = await startLogin()

  for (const name of ['ben\0@example.com', '\0']) assert.partialDeepStrictEqual(await login(name), failure)
})

test('only hashes of keys are stored', async () => {
  const { chat, login } = await startLogin()

  const { api_key } = await login('ben@example.com')

  const rows = await chat.app.services.db.selectFrom('apiKeys').selectAll().execute()
  assert(rows.every((row) => /^[0-9a-f]{64}$/.test(row.hash)))
  assert(!JSON.stringify(rows).includes(api_key))
})

test('after five wrong passwords in half an hour, all attempts from the network are refused', async () => {
  const { chat, login } = await startLogin({ RATE_LIMITING: true })
  for (let attempt = 0; attempt < 5; attempt += 1) {
    assert.partialDeepStrictEqual(await login('ben@example.com', 'battery staple'), failure)
    await chat.clock.advance(60)
  }

  const response = await login('BEN@example.com')
  await chat.clock.advance(1501)
  const later = await login('ben@example.com')

  assert.partialDeepStrictEqual(response, {
    status: 429,
    code: 'RATE_LIMIT_HIT',
    msg: 'API usage exceeded rate limit',
    'retry-after': 1500,
    headers: { 'retry-after': '1500' },
  })
  assert.equal(later.status, 200)
})

test('a network can try a hundred passwords a minute in total', async () => {
  const { chat, login } = await startLogin({ RATE_LIMITING: true, TRUST_X_REAL_IP: true })
  const from = (address: string, name: string) => login(name, 'battery staple', { 'x-real-ip': address })
  const statuses = new Set<number>()
  for (let at = 0; at < 100; at += 1)
    statuses.add((await from(`2001:db8::${at.toString(16)}`, `n${at}@example.com`))['status'])

  const same = await from('2001:db8::ffff', 'ben@example.com')
  const other = await from('2001:db8:1::1', 'ben@example.com')
  await chat.clock.advance(60)
  const later = await from('2001:db8::ffff', 'ben@example.com')

  assert.deepEqual([...statuses, same['status'], other['status'], later['status']], [401, 429, 401, 401])
})

test('wrong passwords for one address of an account do not reveal its other address', async () => {
  const { ben, login } = await startLogin({ RATE_LIMITING: true })
  await ben.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.nobody })
  const statuses = []

  for (let attempt = 0; attempt < 6; attempt += 1)
    statuses.push((await login(`user${ben.id}@parley.test`, 'battery staple')).status)
  const others = [await login('ben@example.com', 'battery staple'), await login('nobody@example.com')]

  assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
  for (const response of others) assert.partialDeepStrictEqual(response, failure)
})

test('attempts for a missing account are limited as well, and correct passwords do not count', async () => {
  const { login } = await startLogin({ RATE_LIMITING: true })

  const unknown = []
  for (let attempt = 0; attempt < 6; attempt += 1) unknown.push((await login('nobody@example.com')).status)
  const right = []
  for (let attempt = 0; attempt < 8; attempt += 1) right.push((await login('ben@example.com')).status)

  assert.deepEqual(unknown, [401, 401, 401, 401, 401, 429])
  assert.deepEqual(new Set(right), new Set([200]))
})

test('regenerating the API key deletes all other keys', async () => {
  const { chat, ben, login } = await startLogin()
  await login('ben@example.com')

  const { api_key } = await ben.succeed('POST /users/me/api_key/regenerate')

  assert.partialDeepStrictEqual(await ben.call('GET /users/me'), { status: 401, msg: 'Invalid API key' })
  const authorization = `Basic ${Buffer.from(`ben@example.com:${api_key}`).toString('base64')}`
  assert.equal((await ben.call('GET /users/me', {}, { authorization })).status, 200)
  const keys = await chat.app.services.db.selectFrom('apiKeys').selectAll().where('userId', '=', ben.id).execute()
  assert.equal(keys.length, 1)
})
