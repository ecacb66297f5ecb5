import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../../../test/scenarios/server.ts'

const server = await startServer()
const url = `http://127.0.0.1:${server.port}`

type World = Awaited<ReturnType<typeof server.world>>
type Account = World['alice']

const plan = (fault: object) => server.testing('POST /testing/faults', fault)
const planned = async () => (await server.testing('GET /testing/faults')).faults

/** Calls the API in the organization without a subdomain. */
const call = (account: Account, method: string, path: string) =>
  fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(`${account.email}:${account.apiKey}`)}` },
  })

async function openWorld() {
  await server.testing('POST /testing/reset')
  return server.world({ subdomain: '' })
}

async function openQueue({ alice, bob }: World) {
  const { queue_id } = await alice.succeed('POST /register', { event_types: '["message"]' })
  const poll = (after: number) => call(alice, 'GET', `/events?queue_id=${queue_id}&last_event_id=${after}`)
  const send = (content: string) => bob.succeed('POST /messages', { type: 'direct', to: `[${alice.id}]`, content })
  return { poll, send }
}

test('the next calls that match are refused with a wait, and later ones are not', async () => {
  const { alice, bob } = await openWorld()
  const own = { fault: 'rate_limit', seconds: 7, count: 2, method: 'GET', path: '/users/*', user_id: alice.id }
  const { fault_id } = await plan(own)

  const [other, unmatched] = [await call(bob, 'GET', '/users/me'), await call(alice, 'GET', '/streams')]
  const first = await call(alice, 'GET', '/users/me')
  const left = await planned()
  const [second, third] = [await call(alice, 'GET', '/users/me'), await call(alice, 'GET', '/users/me')]

  assert.deepEqual(
    [other, unmatched, first, second, third].map(({ status }) => status),
    [200, 200, 429, 429, 200],
  )
  const { count, ...fields } = own
  assert.deepEqual(left, [{ ...fields, fault_id, remaining: count - 1 }])
  assert.equal(first.headers.get('retry-after'), '7')
  assert.partialDeepStrictEqual(await first.json(), { result: 'error', code: 'RATE_LIMIT_HIT', 'retry-after': 7 })
  assert.deepEqual(await planned(), [])
})

test('a slow call is answered when the time has passed on the clock of the server', async () => {
  const world = await openWorld()
  await server.freeze()
  const { poll, send } = await openQueue(world)
  await send('hello')
  await plan({ fault: 'slow', method: 'GET', path: '/events', seconds: 30 })

  let isAnswered = false
  const answer = poll(-1).finally(() => {
    isAnswered = true
  })
  while ((await planned()).length > 0);
  await server.advance(29)
  const wasAnswered = isAnswered
  await server.advance(1)

  assert.equal(wasAnswered, false)
  assert.partialDeepStrictEqual(await (await answer).json(), { events: [{ message: { content: 'hello' } }] })
})

test('a dropped call gets no response, and nothing of it is done', async () => {
  const { alice, channels } = await openWorld()
  await plan({ fault: 'drop', path: '/messages' })
  const sent = `/messages?type=stream&to=${channels.pub}&topic=lunch&content=hi`

  await assert.rejects(call(alice, 'POST', sent), TypeError)
  const again = await call(alice, 'POST', sent)

  assert.equal(again.status, 200)
  const { messages } = await alice.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0 })
  assert.equal(messages.length, 1)
})

test('an expired queue stays expired', async () => {
  const world = await openWorld()
  const { poll, send } = await openQueue(world)
  await send('hello')
  await plan({ fault: 'expired_queue' })

  const answers = [await poll(-1), await poll(-1)]

  for (const answer of answers) {
    assert.equal(answer.status, 400)
    assert.equal(((await answer.json()) as { code: string }).code, 'BAD_EVENT_QUEUE_ID')
  }
})

test('events are repeated in the next response that has some, whether the poll waited or not', async () => {
  const world = await openWorld()
  const { poll, send } = await openQueue(world)
  await plan({ fault: 'repeat_events', count: 2 })
  const idsOf = async (answer: Response) =>
    ((await answer.json()) as { events: { id: number }[] }).events.map(({ id }) => id)

  const waiting = poll(-1)
  await send('one')
  const [first, same] = await idsOf(await waiting)
  await send('two')
  const second = await idsOf(await poll(first ?? -1))
  await send('three')
  const third = await idsOf(await poll(second[0] ?? -1))

  assert.equal(first, same)
  assert.deepEqual([second.length, second[0], third.length], [2, second[1], 1])
})

test('a gateway answers instead of the server with a page', async () => {
  const { alice } = await openWorld()
  await plan({ fault: 'bad_gateway' })

  const answer = await call(alice, 'GET', '/users/me')

  assert.deepEqual([answer.status, answer.headers.get('content-type')], [502, 'text/html'])
  assert.match(await answer.text(), /<h1>502 Bad Gateway<\/h1>/)
})

test('faults are removed by a call and by a reset, and calls under /testing have none', async () => {
  await openWorld()
  await plan({ fault: 'bad_gateway' })
  await server.testing('DELETE /testing/faults')
  const afterRemoval = await planned()
  await plan({ fault: 'bad_gateway' })
  await server.testing('POST /testing/reset')

  assert.deepEqual([afterRemoval, await planned()], [[], []])
})

test('a fault that cannot happen is refused', async () => {
  for (const [body, complaint] of [
    [{ fault: 'earthquake' }, /^fault: /],
    [{ fault: 'drop', path: 'messages' }, /^path: must begin with \//],
    [{ fault: 'drop', count: 0 }, /^count: /],
    [{ fault: 'expired_queue', path: '/messages' }, /^path: expired_queue happens to GET \/events only/],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.request({
      method: 'POST',
      path: '/testing/faults',
      headers,
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, 400)
    assert.match(answer.body.msg, complaint)
  }
})
