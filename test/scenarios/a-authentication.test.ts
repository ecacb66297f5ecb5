import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basic, refused, succeeded, unauthorized } from './answers.ts'
import { startServer } from './server.ts'
import type { World } from './world.ts'

const server = await startServer()

const OPERATIONS = ['POST /users/me/presence', 'GET /messages/1', 'POST /invites', 'DELETE /users/me/subscriptions']
const NOBODYS_KEY = 'abcdefghijklmnopqrstuvwxyz012345'

/** Requests the user's own channels with this Authorization header. */
function ask({ host }: World, authorization: string) {
  return server.request({ method: 'GET', path: '/api/v1/users/me/subscriptions', host, headers: { authorization } })
}

test('1: without credentials, each operation answers 401 and requests Basic credentials', async () => {
  const world = await server.world()

  for (const operation of OPERATIONS) {
    const [method = '', path] = operation.split(' ')
    const answer = await server.request({ method, path: `/api/v1${path}`, host: world.host })
    unauthorized(answer, 'Not logged in: API authentication or user session required')
    assert.equal(answer.headers['content-type'], 'application/json')
  }
})

test('1: a browser without credentials is redirected to the login page', async () => {
  const world = await server.world()

  const { status, headers } = await server.request({
    method: 'GET',
    path: '/api/v1/messages/5',
    host: world.host,
    headers: { accept: 'text/html,application/xhtml+xml' },
  })

  assert.equal(status, 302)
  const location = new URL(headers.location ?? '', world.url)
  assert.equal(location.pathname, '/login/')
  assert.equal(location.searchParams.get('next'), '/api/v1/messages/5')
})

test('2: two words with another scheme are refused with 400, without WWW-Authenticate', async () => {
  const world = await server.world()

  for (const header of ['Bearer abcdef', 'Digest abc', `token ${world.alice.apiKey}`]) {
    const answer = await ask(world, header)
    refused(answer, 'This endpoint requires HTTP basic authentication.')
    assert.equal(answer.headers['www-authenticate'], undefined)
  }
})

test('3, 4: a header that is not two words, or does not contain a name and a key, is invalid', async () => {
  const world = await server.world()
  const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

  const headers = {
    'no colon': `Basic ${base64('foo')}`,
    'two colons': `Basic ${base64(`${world.alice.email}:${world.alice.apiKey}:`)}`,
    'three words': 'Digest a=b, c=d',
    'a Digest header': 'Digest username="alice", realm="parley", nonce="x", uri="/", response="y"',
    'one word': 'Basic',
    'another single word': 'alice',
    'three words, Basic first': `${basic(world.alice.email, world.alice.apiKey)} x`,
    'nothing at all': '',
    'no padding': `Basic ${base64('foo:bar').replaceAll('=', '')}`,
    'not UTF-8': `Basic ${base64(Buffer.from([0x61, 0xff, 0x3a, 0x62]))}`,
  }
  for (const [what, header] of Object.entries(headers)) {
    const answer = await ask(world, header)
    assert.equal(answer.body.msg, 'Invalid authorization header for basic auth', what)
    unauthorized(answer, 'Invalid authorization header for basic auth')
  }
})

test('a key that is not 32 ASCII letters and digits is malformed, for any user', async () => {
  const world = await server.world()
  const key = world.alice.apiKey

  for (const bad of ['', 'x', key.slice(1), `${key}x`, `${key.slice(1)}-`, `${key.slice(1)}é`, 'é'.repeat(32)])
    for (const email of [world.alice.email, 'nobody@example.com', ''])
      unauthorized(await ask(world, basic(email, bad)), 'Malformed API key')
})

test("5: an unknown key, another user's key, and an unknown or empty address get the same error", async () => {
  const world = await server.world()
  const { alice, bob } = world

  for (const [email, key] of [
    [alice.email, NOBODYS_KEY],
    [alice.email, bob.apiKey],
    ['nobody@example.com', alice.apiKey],
    ['nobody@example.com', NOBODYS_KEY],
    ['', alice.apiKey],
    [alice.email, swapCase(alice.apiKey)],
  ] as const)
    unauthorized(await ask(world, basic(email, key)), 'Invalid API key')
})

test('6: the case of the address is ignored', async () => {
  const world = await server.world()

  succeeded(await ask(world, basic(world.alice.email.toUpperCase(), world.alice.apiKey)))
})

test('the case of the scheme is ignored, and so is white space around words, name and key', async () => {
  const world = await server.world()
  const { email, apiKey } = world.alice
  const credentials = basic(email, apiKey).slice('Basic '.length)

  succeeded(await ask(world, `bAsIc ${credentials}`))
  succeeded(await ask(world, `BASIC \t  ${credentials}`))
  succeeded(await ask(world, basic(`  ${email}\t`, ` ${apiKey}\r\n`)))
})

test('characters that are not base64 are skipped', async () => {
  const world = await server.world()
  const header = basic(world.alice.email, world.alice.apiKey)

  succeeded(await ask(world, `${header.slice(0, 20)}!*!${header.slice(20)}`))
})

test('7: a deactivated user gets an error that says so', async () => {
  const world = await server.world()

  unauthorized(await ask(world, basic(world.deactivated.email, world.deactivated.apiKey)), 'Account is deactivated')
})

test('7: an API key stops working as soon as its account is deactivated', async () => {
  const world = await server.world()
  const header = basic(world.bob.email, world.bob.apiKey)
  succeeded(await ask(world, header))

  await world.changeUser(world.bob, { is_active: false })
  unauthorized(await ask(world, header), 'Account is deactivated')
})

test('users of a deactivated organization get an error that says so, until it is reactivated', async () => {
  const world = await server.world()
  const header = basic(world.alice.email, world.alice.apiKey)
  succeeded(await ask(world, header))
  await world.changeSettings({ deactivated: true })

  for (const person of [world.owner, world.alice, world.guest, world.deactivated, world.webhookbot])
    unauthorized(await ask(world, basic(person.email, person.apiKey)), 'This organization has been deactivated')
  unauthorized(await ask(world, basic(world.alice.email, world.bob.apiKey)), 'Invalid API key')

  await world.changeSettings({ deactivated: false })
  succeeded(await ask(world, header))
})

test('an incoming webhook bot cannot call any of the operations', async () => {
  const world = await server.world()

  for (const operation of OPERATIONS)
    unauthorized(await world.webhookbot.call(operation), 'This API is not available to incoming webhook bots.')
})

test('9: a generic bot is refused presence and invitations before its parameters are read', async () => {
  const { alicebot } = await server.world()

  const refusal = 'This endpoint does not accept bot requests.'
  refused(await alicebot.call('POST /users/me/presence', { status: 'active' }), refusal)
  refused(await alicebot.call('POST /users/me/presence'), refusal)
  refused(await alicebot.call('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }), refusal)
  refused(await alicebot.call('POST /invites'), refusal)
})

test('a generic bot can fetch messages and leave channels', async () => {
  const { alice, alicebot } = await server.world()
  const { id } = await alice.succeed('POST /messages', { type: 'channel', to: 'pub', topic: 'bots', content: 'hello' })
  await alicebot.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'pub' }] })

  const { message } = await alicebot.succeed(`GET /messages/${id}`)
  const left = await alicebot.succeed('DELETE /users/me/subscriptions', { subscriptions: ['pub'] })

  assert.equal(message.sender_id, alice.id)
  assert.deepEqual(left.removed, ['pub'])
})

function swapCase(key: string): string {
  return [...key].map((each) => (each === each.toUpperCase() ? each.toLowerCase() : each.toUpperCase())).join('')
}
