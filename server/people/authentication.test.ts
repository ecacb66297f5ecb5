import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { countStatements } from '../../test/count-statements.ts'
import { onPostgres } from '../../test/database.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { AddressVisibility } from './user-settings.ts'

const KEY = /^Basic realm="parley"$/

const basic = (credentials: string | Buffer) => `Basic ${Buffer.from(credentials).toString('base64')}`

/** Requests a message that does not exist: with valid credentials the refusal is `Invalid message(s)`. */
async function requestMissingMessage(chat: Chat, authorization?: string, host = 'parley.test') {
  const headers = { host, ...(authorization !== undefined && { authorization }) }
  const response = await chat.request({ method: 'GET', path: '/api/v1/messages/1', headers })
  const { code, msg } = JSON.parse(response.body)
  return { status: response.status, code, msg, challenge: response.headers['www-authenticate'] }
}

const unauthorized = (msg: string) => ({
  status: 401,
  code: 'UNAUTHORIZED',
  msg,
  challenge: 'Basic realm="parley"',
})

const letIn = { status: 400, code: 'BAD_REQUEST', msg: 'Invalid message(s)', challenge: undefined }
const badHeader = unauthorized('Invalid authorization header for basic auth')
const malformedKey = unauthorized('Malformed API key')
const invalidKey = unauthorized('Invalid API key')

const operations = [
  ['POST', '/users/me/presence'],
  ['GET', '/messages/1'],
  ['POST', '/invites'],
  ['DELETE', '/users/me/subscriptions'],
] as const

for (const [method, path] of operations) {
  test(`${method} ${path} without credentials is refused with a challenge`, async () => {
    const chat = await startChat()

    const response = await chat.request({ method, path: `/api/v1${path}`, headers: { host: 'parley.test' } })

    assert.equal(response.status, 401)
    assert.match(String(response.headers['www-authenticate']), KEY)
    assert.equal(response.headers['content-type'], 'application/json')
    assert.deepEqual(JSON.parse(response.body), {
      result: 'error',
      msg: 'Not logged in: API authentication or user session required',
      code: 'UNAUTHORIZED',
    })
  })
}

test('a browser without credentials is redirected to the login page', async () => {
  const chat = await startChat()

  const response = await chat.request({
    method: 'GET',
    path: '/api/v1/messages/1?apply_markdown=false',
    headers: { host: 'parley.test', accept: 'text/html,application/xhtml+xml;q=0.9' },
  })

  assert.equal(response.status, 302)
  assert.equal(response.headers['location'], '/login/?next=/api/v1/messages/1')
})

test('a scheme other than Basic is a bad request, without a challenge', async () => {
  const chat = await startChat()

  assert.deepEqual(await requestMissingMessage(chat, 'Bearer abcdef'), {
    status: 400,
    code: 'BAD_REQUEST',
    msg: 'This endpoint requires HTTP basic authentication.',
    challenge: undefined,
  })
})

test('a header is malformed unless it has two words, the second of which is base64 of UTF-8 text with one colon', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const key = ada.apiKey

  for (const header of [
    '',
    'Basic',
    'Basic ',
    'Digest a=b, c=d',
    `${basic(`ada@example.com:${key}`)} more`,
    basic('foo'),
    basic(''),
    basic(`ada@example.com:${key}:`),
    basic(`a:b:${key}`),
    basic(Buffer.from([0xff, 0x3a, 0x41])),
    'Basic ====',
    `Basic ${Buffer.from(`ada@example.com:${key}`).toString('base64').replace(/=+$/, '')}=`,
    'Basic YTpi=',
    'Basic YTp',
  ])
    assert.deepEqual(await requestMissingMessage(chat, header), badHeader, header)
})

test('a key that is not 32 ASCII letters and digits is malformed, with any address', async () => {
  const chat = await startChat()
  await chat.user('ada')

  for (const key of ['', 'x', 'a'.repeat(31), 'a'.repeat(33), `${'a'.repeat(31)}é`, `${'a'.repeat(31)}-`])
    for (const email of ['ada@example.com', 'nobody@example.com', ''])
      assert.deepEqual(await requestMissingMessage(chat, basic(`${email}:${key}`)), malformedKey, key)
})

test('an unknown key, the key of another account, and an unknown or empty address get the same refusal', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')

  for (const credentials of [
    `ada@example.com:${'a'.repeat(32)}`,
    `ada@example.com:${ben.apiKey}`,
    `ada@example.com:${ada.apiKey.toLowerCase() === ada.apiKey ? ada.apiKey.toUpperCase() : ada.apiKey.toLowerCase()}`,
    `nobody@example.com:${ada.apiKey}`,
    `:${ada.apiKey}`,
    `user${ada.id}@parley.test:${ada.apiKey}`,
  ])
    assert.deepEqual(await requestMissingMessage(chat, basic(credentials)), invalidKey, credentials)
})

test('scheme and address ignore case, and white space around words and values is ignored', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const encoded = Buffer.from(` ADA@Example.com : ${ada.apiKey}\n`).toString('base64')

  for (const header of [
    basic(`ada@example.com:${ada.apiKey}`),
    `bAsIc   \t ${encoded}`,
    `  Basic ${encoded}  `,
    `Basic ${encoded.slice(0, 8)}-_.!${encoded.slice(8)}`,
  ])
    assert.deepEqual(await requestMissingMessage(chat, header), letIn, header)
})

test('a very long address is unknown', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  for (const length of [321, 5000])
    assert.deepEqual(
      await requestMissingMessage(chat, basic(`${'a'.repeat(length)}@example.com:${ada.apiKey}`)),
      invalidKey,
    )
})

test('a user whose address is hidden can authenticate with both addresses', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { settings: { email_address_visibility: AddressVisibility.nobody } })

  for (const email of ['ada@example.com', `USER${ada.id}@parley.test`])
    assert.deepEqual(await requestMissingMessage(chat, basic(`${email}:${ada.apiKey}`)), letIn)
})

test('a deactivated account is refused as such only with its key', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ben)), letIn)
  await ada.succeed(`DELETE /users/${ben.id}`)

  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ben)), unauthorized('Account is deactivated'))
  assert.deepEqual(await requestMissingMessage(chat, basic(`ben@example.com:${'a'.repeat(32)}`)), invalidKey)
})

test('if both the organization and the account are deactivated, the refusal names the organization', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed('DELETE /users/me')
  await chat.app.services.transaction((tx) => saveRealmFields(tx, chat.realm.id, { deactivatedAt: tx.now }))

  assert.deepEqual(
    await requestMissingMessage(chat, authorizationOf(ben)),
    unauthorized('This organization has been deactivated'),
  )
})

test('a key works only at the host of its organization', async () => {
  const chat = await startChat()
  const other = await chat.organization('other')
  const ada = await chat.user('ada', { email: 'same@example.com' })
  const eve = await chat.user('eve', { email: 'same@example.com', realm: other })
  const elsewhere = unauthorized('Account is not associated with this subdomain')

  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada)), letIn)
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada), 'WWW.parley.test:80'), letIn)
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(eve), 'OTHER.Parley.Test'), letIn)
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada), 'other.parley.test'), elsewhere)
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada), 'missing.parley.test'), elsewhere)
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(eve)), elsewhere)
  assert.deepEqual(await requestMissingMessage(chat, basic(`same@example.com:${'a'.repeat(32)}`)), invalidKey)
})

test('an IP address, or a host outside the external one, means the root organization', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  for (const host of ['127.0.0.1:9991', '[::1]', 'localhost', 'elsewhere.example', 'constructor'])
    assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada), host), letIn, host)
})

test('a bot is refused by endpoints for humans before its parameters are checked', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })

  for (const params of [{ status: 'active' }, {}])
    assert.partialDeepStrictEqual(await robo.call('POST /users/me/presence', params), {
      status: 400,
      code: 'BAD_REQUEST',
      msg: 'This endpoint does not accept bot requests.',
    })
  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(robo)), letIn)
})

test('an incoming-webhook bot can only send messages', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const hook = await chat.user('hook', { botType: BotType.incomingWebhook, owner: ben })
  const refused = unauthorized('This API is not available to incoming webhook bots.')

  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(hook)), refused)
  assert.equal((await hook.call('POST /users/me/presence', { status: 'active' })).msg, refused.msg)
  const sent = await hook.call('POST /messages', { type: 'direct', to: [ben.id], content: 'built' })
  assert.equal(sent.result, 'success')
})

test('wrong credentials do not affect correct ones later', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  const ada = await chat.user('ada')
  for (let attempt = 0; attempt < 300; attempt += 1)
    await requestMissingMessage(chat, basic(`ada@example.com:${'a'.repeat(32)}`))

  assert.deepEqual(await requestMissingMessage(chat, authorizationOf(ada)), letIn)
})

const skip = onPostgres && 'statements are counted on SQLite'

test('a request with cached credentials needs no query', { skip }, async () => {
  const chat = await startChat()
  const gus = await chat.user('gus', { role: Role.guest })
  const invite = () => gus.call('POST /invites')
  assert.equal((await invite()).msg, 'Not allowed for guest users')

  assert.equal(await countStatements(invite), 0)
})

test('new accounts and keys do not invalidate the cached credentials of others', { skip }, async () => {
  const chat = await startChat()
  const gus = await chat.user('gus', { role: Role.guest })
  const invite = () => gus.call('POST /invites')
  await invite()

  await chat.user('ben')

  assert.equal(await countStatements(invite), 0)
})

test('deactivations and key changes take effect at the next request', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const headers = { host: 'parley.test', authorization: authorizationOf(ada) }

  const response = await chat.request({ method: 'GET', path: '/api/v1/users/me', headers })
  const refused = await chat.request({ method: 'GET', path: '/api/v1/messages/1', headers })

  assert.equal(response.headers['cache-control'], 'private, no-store')
  assert.equal(refused.headers['cache-control'], 'private, no-store')
})

test('an id in a path may have leading zeros, and HEAD gets a response without a body', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { id } = await ada.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'note' })
  const headers = { host: 'parley.test', authorization: authorizationOf(ada) }

  const padded = await ada.succeed(`GET /messages/00${id}`)
  const head = await chat.request({ method: 'HEAD', path: `/api/v1/messages/${id}`, headers })
  const anonymous = await chat.request({
    method: 'HEAD',
    path: `/api/v1/messages/${id}`,
    headers: { host: 'parley.test' },
  })

  assert.equal(padded['message'].id, id)
  assert.deepEqual([head.status, head.body], [200, ''])
  assert.deepEqual([anonymous.status, anonymous.body], [401, ''])
})

function authorizationOf({ email, apiKey }: Person): string {
  return basic(`${email}:${apiKey}`)
}
