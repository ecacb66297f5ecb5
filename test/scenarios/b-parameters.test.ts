import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, refused, succeeded } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()

const PRESENCE = 'POST /users/me/presence'
const LEAVE = 'DELETE /users/me/subscriptions'

/** Returns a multipart body of these fields, with its Content-Type. */
function multipart(fields: [string, string][]): { headers: Record<string, string>; body: string } {
  const parts = fields.map(
    ([name, value]) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return { headers: { 'content-type': 'multipart/form-data; boundary=edge' }, body: `${parts.join('')}--edge--\r\n` }
}

test('15: a value in the body overrides one in the query', async () => {
  const { alice } = await server.world()

  succeeded(await alice.call(PRESENCE, { status: 'active' }, { query: { status: 'bogus' } }))
  refused(await alice.call(PRESENCE, { status: 'bogus' }, { query: { status: 'active' } }), 'Invalid status: bogus')
})

test('parameters are also read from the query, for any method', async () => {
  const { alice } = await server.world()

  succeeded(await alice.call(PRESENCE, {}, { query: { status: 'active' } }))
  const invite = { invitee_emails: 'new@example.com', stream_ids: [] }
  succeeded(await alice.call('POST /invites', {}, { query: invite }))
  const { removed } = succeeded(await alice.call(LEAVE, {}, { query: { subscriptions: ['pub'] } }))
  assert.deepEqual(removed, ['pub'])
})

test('body and query are one set of parameters', async () => {
  const { alice } = await server.world()

  const answer = await alice.call(PRESENCE, { status: 'active' }, { query: { last_update_id: -1, ping_only: true } })

  assert.deepEqual(succeeded(answer), { result: 'success', msg: '', presence_last_update_id: -1 })
})

test('if a name is repeated, the last value counts', async () => {
  const { alice } = await server.world()

  succeeded(await alice.call(PRESENCE, 'status=bogus&status=active'))
  refused(await alice.call(PRESENCE, 'status=active&status=bogus'), 'Invalid status: bogus')
  const query = 'apply_markdown=true&apply_markdown=nope'
  refused(await alice.call('GET /messages/1', query), 'apply_markdown is not valid JSON')
})

test('multipart bodies are read like urlencoded ones, for every method', async () => {
  const { alice, bob, host } = await server.world()
  const authorization = { authorization: authorizationOf(alice) }

  const presence = multipart([
    ['status', 'bogus'],
    ['status', 'active'],
    ['last_update_id', '-1'],
  ])
  const answer = await server.request({
    method: 'POST',
    path: '/api/v1/users/me/presence',
    host,
    headers: { ...presence.headers, ...authorization },
    body: presence.body,
  })
  assert.deepEqual(Object.keys(succeeded(answer).presences), [String(alice.id)])

  const leave = multipart([['subscriptions', '["pub"]']])
  const left = await server.request({
    method: 'DELETE',
    path: '/api/v1/users/me/subscriptions',
    host,
    headers: { ...leave.headers, ...authorization },
    body: leave.body,
  })
  assert.deepEqual(succeeded(left).removed, ['pub'])
  assert.equal(typeof bob.id, 'number')
})

test('16: a JSON body is not read: its parameters are missing', async () => {
  const { alice, host } = await server.world()
  const headers = { authorization: authorizationOf(alice), 'content-type': 'application/json' }
  const send = (method: string, path: string, fields: unknown) =>
    server.request({ method, path: `/api/v1${path}`, host, headers, body: JSON.stringify(fields) })

  missing(await send('DELETE', '/users/me/subscriptions', { subscriptions: ['pub'] }), 'subscriptions')
  missing(await send('POST', '/users/me/presence', { status: 'active' }), 'status')
  missing(await send('POST', '/invites', { invitee_emails: 'a@example.com', stream_ids: [] }), 'invitee_emails')
  assert.deepEqual((await alice.succeed(LEAVE, { subscriptions: ['pub'] })).removed, ['pub'])
})

test('the body of a GET is not read', async () => {
  const { alice, host } = await server.world()
  const { id } = await alice.succeed('POST /messages', { type: 'channel', to: 'pub', topic: 'get', content: '*hi*' })

  const answer = await server.request({
    method: 'GET',
    path: `/api/v1/messages/${id}`,
    host,
    headers: { authorization: authorizationOf(alice) },
    form: 'apply_markdown=false',
  })

  assert.equal(succeeded(answer).message.content_type, 'text/html')
})

test('a missing parameter is named; an empty one is present', async () => {
  const { alice } = await server.world()

  missing(await alice.call(PRESENCE), 'status')
  missing(await alice.call('POST /invites', { stream_ids: [] }), 'invitee_emails')
  missing(await alice.call('POST /invites', { invitee_emails: 'new@example.com' }), 'stream_ids')
  missing(await alice.call(LEAVE, { principals: [] }), 'subscriptions')
  refused(await alice.call(PRESENCE, { status: '' }), 'Invalid status: ')
  refused(await alice.call(LEAVE, { subscriptions: '' }), 'subscriptions is not valid JSON')
})

test('strings are used literally, without JSON and trimming', async () => {
  const { alice } = await server.world()

  for (const status of ['"active"', ' active', 'active ', 'Active', 'ACTIVE', 'offline'])
    refused(await alice.call(PRESENCE, { status }), `Invalid status: ${status}`)
})

test('invalid UTF-8 becomes U+FFFD, and NUL is a character', async () => {
  const { alice } = await server.world()

  refused(await alice.call(PRESENCE, 'status=act%FFive'), 'Invalid status: act\u{fffd}ive')
  refused(await alice.call(PRESENCE, 'status=active%00'), 'Invalid status: active\0')
})

test('a plus is a space, and a percent sign without two digits is literal', async () => {
  const { alice } = await server.world()

  refused(await alice.call(PRESENCE, 'status=a+b%2Bc'), 'Invalid status: a b+c')
  refused(await alice.call(PRESENCE, 'status=100%'), 'Invalid status: 100%')
  refused(await alice.call(PRESENCE, 'status=%zz'), 'Invalid status: %zz')
})

test('20: a refused report changes nothing that others can see', async () => {
  const { alice, bob } = await server.world()

  for (const bad of [
    { status: 'foo' },
    { status: 'active', ping_only: 'yes' },
    { status: 'active', last_update_id: 'abc' },
    { status: 'active', history_limit_days: '1.5' },
  ])
    assert.equal((await alice.call(PRESENCE, bad)).status, 400)

  const seen = await bob.succeed(PRESENCE, { status: 'active', last_update_id: -1 })
  assert.deepEqual(Object.keys(seen.presences), [String(bob.id)])
  assert.equal(seen.presence_last_update_id, 1)
})

test('21: `client` is never reported as ignored', async () => {
  const { alice } = await server.world()

  for (const body of [
    await alice.succeed(PRESENCE, { status: 'active', client: 'MyApp' }),
    await alice.succeed('GET /messages/1'.replace('1', String(await sendOne(alice))), { client: 'MyApp' }),
    await alice.succeed(LEAVE, { subscriptions: ['pub'], client: 'MyApp' }),
  ])
    assert.equal('ignored_parameters_unsupported' in body, false)
})

test('22: an error lists no ignored parameters', async () => {
  const { alice, bob } = await server.world()

  const failed = await alice.call('POST /invites', { invitee_emails: bob.email, stream_ids: [], extra: 'x' })

  assert.equal(failed.body.code, 'INVITATION_FAILED')
  assert.equal('ignored_parameters_unsupported' in failed.body, false)
  refused(await alice.call('GET /messages/0', { extra: 'x' }), 'Invalid message(s)')
})

test('ignored parameters from query and body are sorted by code point, each once', async () => {
  const { alice } = await server.world()

  const query = 'zebra=1&Zebra=2&%C3%A9=3&status=idle'
  const answer = await alice.call(PRESENCE, 'status=active&apple=1&apple=2&zebra=9&_x=1', { query })

  assert.deepEqual(succeeded(answer).ignored_parameters_unsupported, ['Zebra', '_x', 'apple', 'zebra', 'é'])
})

test('parameters that an operation reads are not ignored, even where they have no effect', async () => {
  const { alice, bob } = await server.world()

  const presence = { status: 'active', slim_presence: true, last_update_id: 5, history_limit_days: 1, ping_only: true }
  const body = await alice.succeed(PRESENCE, { ...presence, new_user_input: true })
  assert.deepEqual(body, { result: 'success', msg: '', presence_last_update_id: 5 })
  const left = await bob.succeed(LEAVE, { subscriptions: [], principals: [] })
  assert.deepEqual(left, { result: 'success', msg: '', removed: [], not_removed: [] })
})

test('path parameters and parameters of other operations are ignored', async () => {
  const { alice } = await server.world()
  const id = await sendOne(alice)

  const body = await alice.succeed(`GET /messages/${id}`, {
    message_id: 5,
    client_gravatar: true,
    apply_markdown: true,
  })

  assert.deepEqual(body.ignored_parameters_unsupported, ['client_gravatar', 'message_id'])
})

test('every operation reports the parameters that it ignored', async () => {
  const { alice } = await server.world()
  const expected = ['extra']

  const invite = { invitee_emails: 'one@example.com', stream_ids: [], extra: '1' }
  assert.deepEqual((await alice.succeed('POST /invites', invite)).ignored_parameters_unsupported, expected)
  const leave = { subscriptions: ['pub'], extra: '1' }
  assert.deepEqual((await alice.succeed(LEAVE, leave)).ignored_parameters_unsupported, expected)
})

type Sender = Awaited<ReturnType<typeof server.world>>['alice']

async function sendOne(sender: Sender): Promise<number> {
  return (await sender.succeed('POST /messages', { type: 'channel', to: 'pub', topic: 'one', content: 'one' })).id
}

function authorizationOf({ email, apiKey }: Sender): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`
}
