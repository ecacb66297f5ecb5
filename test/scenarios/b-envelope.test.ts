import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { World } from './world.ts'

const server = await startServer()

/** Calls each operation, with one success and one error. */
async function answersOf({ alice }: World): Promise<Answer[]> {
  const { id } = await alice.succeed('POST /messages', {
    type: 'channel',
    to: 'pub',
    topic: 'envelopes',
    content: 'hello',
  })
  return Promise.all([
    alice.call('POST /users/me/presence', { status: 'active' }),
    alice.call('POST /users/me/presence', { status: 'asleep' }),
    alice.call(`GET /messages/${id}`),
    alice.call('GET /messages/0'),
    alice.call('POST /invites', { invitee_emails: 'new@example.com', stream_ids: [] }),
    alice.call('POST /invites', { invitee_emails: '', stream_ids: [] }),
    alice.call('DELETE /users/me/subscriptions', { subscriptions: ['pub'] }),
    alice.call('DELETE /users/me/subscriptions', { subscriptions: ['nope'] }),
  ])
}

test('responses are compact JSON with a newline at the end, declared as application/json and nothing more', async () => {
  const world = await server.world()

  for (const { text, headers, body } of await answersOf(world)) {
    assert.equal(text, `${JSON.stringify(body)}\n`)
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(Number(headers['content-length']), Buffer.byteLength(text))
  }
})

test('no response may be stored by caches, regardless of its content and recipient', async () => {
  const world = await server.world()
  const { host } = world
  const answers = [
    ...(await answersOf(world)),
    await server.request({ method: 'GET', path: '/api/v1/server_settings', host }),
    await server.request({ method: 'GET', path: '/api/v1/messages/1', host }),
    await server.request({ method: 'PUT', path: '/api/v1/messages/1', host }),
    await server.request({ method: 'OPTIONS', path: '/api/v1/messages/1', host }),
  ]

  assert.deepEqual(
    answers.slice(-4).map(({ status }) => status),
    [200, 401, 405, 204],
  )
  for (const { headers } of answers) assert.equal(headers['cache-control'], 'private, no-store')
})

test('scripts of any origin may call the API', async () => {
  const world = await server.world()
  const refusal = await server.request({ method: 'POST', path: '/api/v1/invites', host: world.host })

  for (const { headers } of [refusal, ...(await answersOf(world))]) {
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['access-control-allow-headers'], 'Authorization')
    assert.equal(headers['access-control-allow-methods'], 'GET, POST, DELETE, PUT, PATCH, HEAD')
  }
})

test('errors before an endpoint is reached can be read by scripts of any origin, and are not cached either', async () => {
  const path = '/api/v1/users/me/presence'
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const many = 'a=&'.repeat(1001)
  const ask = (request: { path?: string; headers?: Record<string, string>; body?: string }) =>
    server.request({ method: 'POST', path, headers: form, ...request })

  for (const [status, request] of [
    [400, { body: many }],
    // The header lines are known now.
    [400, { body: many }],
    [400, { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: 'no part' }],
    [413, { body: 'a'.repeat(2 ** 20 + 1) }],
    [414, { path: `${path}?${'a'.repeat(2 ** 14)}` }],
  ] as const) {
    const answer = await ask(request)
    assert.equal(answer.status, status)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['cache-control'], 'private, no-store')
  }
  const toPage = await ask({ path: '/login/', body: many })
  assert.deepEqual([toPage.status, toPage.headers['access-control-allow-origin']], [400, undefined])
})

test('a preflight request with OPTIONS is allowed', async () => {
  const { status, headers } = await server.request({
    method: 'OPTIONS',
    path: '/api/v1/users/me/subscriptions',
    headers: {
      origin: 'https://example.org',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    },
  })

  assert.equal(status, 204)
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.match(headers['access-control-allow-methods'] ?? '', /DELETE/)
})

test('no cookie is set, and cookies, Referer and Origin are not needed', async () => {
  const { alice } = await server.world()

  const headers = {
    cookie: 'sessionid=x; csrftoken=y',
    referer: 'http://elsewhere.example',
    origin: 'http://evil.example',
  }
  const answer = await alice.call('POST /users/me/presence', { status: 'active' }, { headers })

  assert.equal(answer.status, 200)
  assert.equal(answer.headers['set-cookie'], undefined)
})

test('each operation returns exactly its fields', async () => {
  const world = await server.world()
  const keysOf = ({ body }: Answer) => Object.keys(body).sort()

  const [presence, badPresence, message, badMessage, invites, badInvites, left, badLeft] = await answersOf(world)

  const refusal = ['code', 'msg', 'result']
  assert.deepEqual(keysOf(presence!), ['msg', 'presence_last_update_id', 'presences', 'result', 'server_timestamp'])
  assert.deepEqual(keysOf(message!), ['message', 'msg', 'raw_content', 'result'])
  assert.deepEqual(keysOf(invites!), ['msg', 'result'])
  assert.deepEqual(keysOf(left!), ['msg', 'not_removed', 'removed', 'result'])
  for (const answer of [badPresence, badMessage, badInvites]) assert.deepEqual(keysOf(answer!), refusal)
  assert.deepEqual(keysOf(badLeft!), [...refusal, 'stream'])
})

test('a body beyond the limit is refused in the envelope with 413, too many fields with 400', async () => {
  const { alice, bob } = await server.world()

  const large = await alice.call('POST /users/me/presence', { status: 'active', filler: 'x'.repeat(1_100_000) })
  const fields = Array.from({ length: 1_001 }, (_, index) => `f${index}=1`).join('&')
  const many = await alice.call('POST /users/me/presence', `status=active&${fields}`)

  assert.deepEqual([large.status, large.body?.result], [413, 'error'])
  assert.deepEqual([many.status, many.body?.result], [400, 'error'])
  const { presences } = await bob.succeed('POST /users/me/presence', { status: 'idle', last_update_id: -1 })
  assert.deepEqual(Object.keys(presences), [String(bob.id)])
})

test('a thousand fields and almost a mebibyte are accepted', async () => {
  const { alice } = await server.world()
  const fields = Array.from({ length: 999 }, (_, index) => `f${index}=1`).join('&')

  const many = await alice.succeed('POST /users/me/presence', `status=active&${fields}`)
  const large = await alice.succeed('POST /users/me/presence', { status: 'active', filler: 'x'.repeat(1_000_000) })

  assert.equal(many.ignored_parameters_unsupported.length, 999)
  assert.deepEqual(large.ignored_parameters_unsupported, ['filler'])
})

test('server_settings returns the feature level to everyone', async () => {
  const world = await server.world()

  const { body } = await server.request({ method: 'GET', path: '/api/v1/server_settings', host: world.host })

  assert.equal(body.result, 'success')
  assert.equal(body.zulip_feature_level, 372)
  assert.equal(body.realm_name, world.name)
})
