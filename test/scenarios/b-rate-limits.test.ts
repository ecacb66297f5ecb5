import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { basic, refused } from './answers.ts'
import { startServer } from './server.ts'
import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

const server = await startServer()

beforeEach(() => limit([[60, 200]]))

const KEY = 'abcdefghijklmnopqrstuvwxyz012345'

function limit(rules: [number, number][]): Promise<unknown> {
  return server.testing('PATCH /testing/settings', { RATE_LIMITING: true, RATE_LIMITING_RULES: rules })
}

async function repeat(times: number, call: () => Promise<Answer>): Promise<Answer> {
  for (let index = 1; index < times; index += 1) await call()
  return call()
}

const ask = (person: Person) => person.call('GET /messages/1')
const numberOf = (answer: Answer, header: string) => Number(answer.headers[header])

/** Requires the error for too many requests, and returns the seconds to wait. */
function limited(answer: Answer): number {
  const wait = answer.body['retry-after']
  refused(answer, 'API usage exceeded rate limit', { status: 429, code: 'RATE_LIMIT_HIT', 'retry-after': wait })
  assert.equal(typeof wait, 'number')
  assert.equal(Number(answer.headers['retry-after']), wait)
  assert.equal(answer.headers['x-ratelimit-remaining'], '0')
  return wait
}

test('without limits, there are no rate limit headers', async () => {
  await server.testing('PATCH /testing/settings', { RATE_LIMITING: false })
  const { alice } = await server.world()

  const { headers } = await alice.call('POST /users/me/presence', { status: 'active' })

  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('x-ratelimit')),
    [],
  )
})

test('23: the first request of a minute leaves 199 of 200', async () => {
  const { alice } = await server.world()
  const now = await server.freeze()

  const answer = await ask(alice)

  assert.equal(answer.headers['x-ratelimit-limit'], '200')
  assert.equal(answer.headers['x-ratelimit-remaining'], '199')
  assert.match(String(answer.headers['x-ratelimit-reset']), /^\d+$/)
  assert.ok(Math.abs(numberOf(answer, 'x-ratelimit-reset') - (now + 60)) <= 1)
})

test('24, 25: requests above the limit are refused until the window has passed, and refused ones do not count', async () => {
  const { alice, bob } = await server.world()
  await server.freeze()
  assert.equal((await repeat(200, () => ask(alice))).headers['x-ratelimit-remaining'], '0')

  const wait = limited(await ask(alice))
  assert.ok(wait > 0 && wait <= 60)
  await server.advance(30)
  assert.ok(limited(await ask(alice)) <= 30)
  assert.equal((await ask(bob)).status, 400)
  await server.advance(30.1)
  const served = await ask(alice)
  assert.equal(served.status, 400)
  assert.equal(served.headers['x-ratelimit-remaining'], '199')
})

test('a user above the limit gets this error for any request', async () => {
  await limit([[60, 2]])
  const { alice, alicebot, guest } = await server.world()
  for (const person of [alice, alicebot, guest]) await repeat(2, () => ask(person))

  limited(await alice.call('POST /users/me/presence'))
  limited(await alicebot.call('POST /users/me/presence'))
  limited(await guest.call('POST /invites'))
  assert.equal((await alice.call('GET /users/me/presence')).status, 405)
  assert.equal((await alice.call('GET /nothing/here')).status, 404)
})

test('all operations share one limit, each costs one, errors too', async () => {
  const { alice } = await server.world()
  await server.freeze()

  const left = []
  for (const [route, params] of [
    ['POST /users/me/presence', { status: 'active' }],
    ['POST /users/me/presence', {}],
    ['GET /messages/0', {}],
    ['POST /invites', { invitee_emails: '', stream_ids: [] }],
    ['DELETE /users/me/subscriptions', { subscriptions: [] }],
    ['GET /users/me', {}],
  ] as const)
    left.push(numberOf(await alice.call(route, params), 'x-ratelimit-remaining'))

  assert.deepEqual(left, [199, 198, 197, 196, 195, 194])
})

test('a user has one limit, for any of their keys and addresses', async () => {
  const world = await server.world()
  await ask(world.bob)

  const headers = { authorization: basic(world.bob.email.toUpperCase(), world.bob.apiKey) }
  assert.equal((await world.bob.call('GET /messages/1', {}, { headers })).headers['x-ratelimit-remaining'], '198')
})

test('26: wrong credentials count for no user', async () => {
  const { alice, host } = await server.world()
  const headers = { authorization: basic(alice.email, KEY) }

  for (let round = 0; round < 10; round += 1) {
    const tries = Array.from({ length: 30 }, () => alice.call('GET /messages/1', {}, { headers }))
    for (const { status, headers } of await Promise.all(tries)) {
      assert.equal(status, 401)
      assert.equal(headers['x-ratelimit-limit'], undefined)
    }
  }

  assert.equal((await ask(alice)).headers['x-ratelimit-remaining'], '199')
  assert.equal(
    (await server.request({ method: 'GET', path: '/nothing', host })).headers['x-ratelimit-limit'],
    undefined,
  )
})

test('404, 405 and OPTIONS do not count and have no such headers', async () => {
  const { alice } = await server.world()

  for (const route of ['GET /nothing/here', 'GET /users/me/presence', 'OPTIONS /invites', 'GET /messages/abc'])
    assert.equal((await alice.call(route)).headers['x-ratelimit-limit'], undefined)

  assert.equal((await ask(alice)).headers['x-ratelimit-remaining'], '199')
})

test('the window slides: a request is possible as soon as the oldest one is too old', async () => {
  await limit([[60, 2]])
  const { alice } = await server.world()
  await server.freeze()
  await ask(alice)
  await server.advance(40)
  await ask(alice)

  assert.ok(Math.abs(limited(await ask(alice)) - 20) < 1)
  await server.advance(20.5)
  assert.equal((await ask(alice)).status, 400)
  assert.ok(Math.abs(limited(await ask(alice)) - 39.5) < 1)
})

test('several rules all apply', async () => {
  await limit([
    [10, 2],
    [100, 3],
  ])
  const { alice } = await server.world()
  await server.freeze()

  await repeat(2, () => ask(alice))
  assert.ok(limited(await ask(alice)) <= 10)
  await server.advance(10.5)
  assert.equal((await ask(alice)).status, 400)
  assert.ok(limited(await ask(alice)) > 10)
  await server.advance(90)
  assert.equal((await ask(alice)).status, 400)
})

test('changed rules apply immediately', async () => {
  const { alice } = await server.world()
  await repeat(3, () => ask(alice))

  await limit([[60, 1]])
  limited(await ask(alice))
  await limit([[60, 100]])
  assert.equal((await ask(alice)).headers['x-ratelimit-limit'], '100')
  await server.testing('PATCH /testing/settings', { RATE_LIMITING: false })
  assert.equal((await ask(alice)).status, 400)
})
