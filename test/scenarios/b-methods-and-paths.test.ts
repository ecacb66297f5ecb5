import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, refused, succeeded } from './answers.ts'
import { startServer } from './server.ts'
import type { World } from './world.ts'

const server = await startServer()

const METHODS = {
  '/users/me/presence': ['POST'],
  '/messages/1': ['DELETE', 'GET', 'HEAD', 'PATCH'],
  '/invites': ['GET', 'HEAD', 'POST'],
  '/users/me/subscriptions': ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST'],
}
const ALL = ['DELETE', 'GET', 'PATCH', 'POST', 'PUT']

/** Sends a message as Alice to a public channel. */
async function messageIn({ alice }: World): Promise<number> {
  return (await alice.succeed('POST /messages', { type: 'channel', to: 'pub', topic: 'paths', content: 'hello' })).id
}

test('11: a method that a path does not support is answered 405, with the supported ones', async () => {
  const world = await server.world()

  for (const [path, allowed] of Object.entries(METHODS)) {
    for (const method of ALL.filter((each) => !allowed.includes(each))) {
      const answer = await world.alice.call(`${method} ${path}`)
      const expected = { status: 405, code: 'METHOD_NOT_ALLOWED', allowed_methods: allowed }
      refused(answer, 'Method Not Allowed', expected)
      assert.equal(answer.headers.allow, allowed.join(', '))
      assert.equal(answer.headers['content-type'], 'application/json')
    }
  }
})

test('a method that a page does not support is answered 405, with the supported ones', async () => {
  for (const [method, path, allowed] of [
    ['PUT', '/login/', 'GET, HEAD, POST'],
    ['POST', '/join/abc/', 'GET, HEAD'],
    ['GET', '/accounts/register/', 'POST'],
  ] as const) {
    const { status, headers } = await server.request({ method, path })
    assert.deepEqual([status, headers.allow], [405, allowed])
  }
})

test('a wrong method is refused without credentials, and with wrong ones', async () => {
  for (const headers of [{}, { authorization: 'Basic nonsense' }] as Record<string, string>[]) {
    const answer = await server.request({ method: 'GET', path: '/api/v1/users/me/presence', headers })
    assert.equal(answer.status, 405)
    assert.equal(answer.headers['www-authenticate'], undefined)
  }
})

test('OPTIONS is answered 204 with the methods in order and nothing else, without credentials', async () => {
  for (const [path, allowed] of Object.entries(METHODS)) {
    const { status, text, headers } = await server.request({ method: 'OPTIONS', path: `/api/v1${path}` })
    assert.deepEqual([status, text, headers.allow], [204, '', allowed.join(', ')])
  }
})

test('12: ids in paths are ASCII digits; anything else is an unknown path', async () => {
  const { alice } = await server.world()

  for (const id of ['-1', 'abc', '1.0', '', '1e3', '0x1', '+1', '%D9%A1', '%201', '1%20', '1,2'])
    refused(await alice.call(`GET /messages/${id}`), 'Not Found', { status: 404, code: 'NOT_FOUND' })
})

test('12: any sequence of digits is an id; an unknown one is an unknown message', async () => {
  const { alice } = await server.world()

  for (const id of ['0', '00', '999999999', '9223372036854775807', '9223372036854775808', '9'.repeat(200)])
    refused(await alice.call(`GET /messages/${id}`), 'Invalid message(s)')
})

test('13: a trailing slash makes a different path', async () => {
  const { alice } = await server.world()

  for (const route of [
    'POST /users/me/presence/',
    'GET /messages/1/',
    'POST /invites/',
    'DELETE /users/me/subscriptions/',
  ]) {
    const answer = await alice.call(route, { status: 'active' })
    refused(answer, 'Not Found', { status: 404, code: 'NOT_FOUND' })
    assert.equal(answer.headers['content-type'], 'application/json')
  }
})

test('an unknown path is answered in the envelope, with and without credentials', async () => {
  const { alice } = await server.world()

  refused(await alice.call('GET /no/such/thing'), 'Not Found', { status: 404, code: 'NOT_FOUND' })
  const answer = await server.request({ method: 'GET', path: '/api/v1/no/such/thing' })
  refused(answer, 'Not Found', { status: 404, code: 'NOT_FOUND' })
})

test('repeated slashes count as a single slash', async () => {
  const world = await server.world()
  const id = await messageIn(world)

  succeeded(await world.alice.call(`GET //messages//${id}`))
  succeeded(await world.alice.call('POST /users///me/presence', { status: 'active' }))
})

test('an escaped letter, digit or dot is the same as the plain one; characters that need an escape keep their meaning', async () => {
  const world = await server.world()
  const id = await messageIn(world)
  const escaped = [...String(id)].map((digit) => `%3${digit}`).join('')

  succeeded(await world.alice.call(`GET /%6dessages/${escaped}`))
  succeeded(await world.alice.call('POST /users/me/%70%72esence', { status: 'active' }))
  refused(await world.alice.call(`GET /messages%2F${id}`), 'Not Found', { status: 404, code: 'NOT_FOUND' })
  refused(await world.alice.call(`GET /%256dessages/${id}`), 'Not Found', { status: 404, code: 'NOT_FOUND' })
})

test('14: a field `method` in a form selects the method, and is reported as ignored', async () => {
  const { alice } = await server.world()

  const body = await alice.succeed('POST /users/me/subscriptions', { method: 'DELETE', subscriptions: ['pub'] })

  assert.deepEqual(body, {
    result: 'success',
    msg: '',
    removed: ['pub'],
    not_removed: [],
    ignored_parameters_unsupported: ['method'],
  })
})

test('14: a field `method` with an unsupported method is answered 405', async () => {
  const { alice } = await server.world()

  for (const method of ['PUT', 'BREW']) {
    const answer = await alice.call('POST /users/me/subscriptions', { method, subscriptions: ['pub'] })
    assert.equal(answer.status, 405)
    assert.deepEqual(answer.body.allowed_methods, METHODS['/users/me/subscriptions'])
  }
  assert.deepEqual((await alice.succeed('DELETE /users/me/subscriptions', { subscriptions: ['pub'] })).removed, ['pub'])
})

test('14: a field `method` in the query has no effect', async () => {
  const { alice } = await server.world()

  const answer = await alice.call('POST /users/me/presence', { status: 'active' }, { query: { method: 'DELETE' } })

  assert.deepEqual(succeeded(answer).ignored_parameters_unsupported, ['method'])
})

test('27: leading zeros of an id are ignored', async () => {
  const world = await server.world()
  const id = await messageIn(world)

  const { message } = await world.bob.succeed(`GET /messages/00${id}`)

  assert.deepEqual(message, (await world.bob.succeed(`GET /messages/${id}`)).message)
})

test('28: HEAD answers like GET, without a body', async () => {
  const world = await server.world()
  const id = await messageIn(world)

  for (const path of [`/messages/${id}`, '/invites', '/users/me/subscriptions']) {
    const [head, get] = [await world.alice.call(`HEAD ${path}`), await world.alice.call(`GET ${path}`)]
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-type'], get.headers['content-type'])
  }
  assert.equal((await world.alice.call('HEAD /messages/0')).status, 400)
  assert.equal((await world.alice.call('HEAD /users/me/presence')).status, 405)
})

test('28: HEAD needs credentials like GET', async () => {
  const world = await server.world()

  const answer = await server.request({ method: 'HEAD', path: '/api/v1/messages/1', host: world.host })

  assert.deepEqual([answer.status, answer.text], [401, ''])
})

test('errors of an operation come after path, method, credentials and kind of user', async () => {
  const { alice, alicebot, guest } = await server.world()

  missing(await alice.call('POST /users/me/presence'), 'status')
  missing(await alice.call('POST /invites'), 'invitee_emails')
  missing(await alice.call('DELETE /users/me/subscriptions'), 'subscriptions')
  refused(await alicebot.call('POST /users/me/presence'), 'This endpoint does not accept bot requests.')
  refused(await guest.call('POST /invites'), 'Not allowed for guest users')
})
