import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '#api.ts'
import { startChat } from '../../test/harness.ts'
import { priorities } from './server.ts'

test('an overloaded server refuses further requests in the envelope of the API, and still handles urgent ones', async () => {
  const gate = Promise.withResolvers<void>()
  const inWork = Promise.withResolvers<void>()
  let count = 0
  const chat = await startChat({
    limits: { maxInWork: 2, maxWaiting: 3 },
    pages: () => (received) => {
      if (received.path !== '/held') return null
      count += 1
      if (count === 2) inWork.resolve()
      return gate.promise.then(() => ({ status: 200, headers: {}, body: 'done\n' }))
    },
  })
  const ada = await chat.user('ada')
  const hold = () => chat.request({ method: 'GET', path: '/held' })

  const held = [hold(), hold()]
  await inWork.promise
  held.push(hold(), hold(), hold())
  const refused = await ada.call('GET /users/me')
  const response = await chat.request({ method: 'GET', path: '/api/v1/server_settings' })
  const health = await chat.request({ method: 'GET', path: '/health' })
  const presence = await ada.call('GET /realm/presence')
  gate.resolve()
  const responses = await Promise.all(held)
  const later = await ada.call('GET /users/me')

  assert.deepEqual(refused, {
    status: 503,
    result: 'error',
    msg: 'The server is busy. Try again later.',
    'retry-after': 2,
    code: 'SERVICE_UNAVAILABLE',
  })
  assert.deepEqual([response.status, response.headers['retry-after']], [503, '2'])
  assert.equal(response.headers['access-control-allow-origin'], '*')
  assert.deepEqual([health.status, presence.status], [200, 200])
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  )
  assert.equal(later.status, 200)
})

test('requests of a user who caused a lot of work wait behind those of others', async () => {
  const gate = Promise.withResolvers<void>()
  const inWork = Promise.withResolvers<void>()
  const order: string[] = []
  const chat = await startChat({
    settings: { RATE_LIMITING: true },
    limits: { maxInWork: 1 },
    pages: () => (received) => {
      if (received.path !== '/held') return null
      inWork.resolve()
      return gate.promise.then(() => ({ status: 200, headers: {}, body: 'done\n' }))
    },
  })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  for (const person of [ada, ben]) await person.succeed('GET /users/me')
  const { workBudget, settings, clock } = chat.app.services
  workBudget.charge(ada.id, 200, settings.RATE_LIMITING_WORK, clock.now())

  const held = chat.request({ method: 'GET', path: '/held' })
  await inWork.promise
  const responses = [ada, ben].map(async (person) => {
    await person.succeed('GET /users/me')
    order.push(person.email)
  })
  gate.resolve()
  await Promise.all([held, ...responses])

  assert.deepEqual(order, [ben.email, ada.email])
})

test('a poll that waits for events does not count as a request in progress', async () => {
  const chat = await startChat({ limits: { maxInWork: 1, maxWaiting: 1 } })
  const ada = await chat.user('ada')
  const { queue_id, last_event_id } = await ada.succeed('POST /register', { event_types: ['message'] })
  const poll = ada.call('GET /events', { queue_id, last_event_id })

  const responses = [await ada.call('GET /users/me'), await ada.call('GET /users/me'), await ada.call('GET /users/me')]

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 200, 200],
  )
  await ada.succeed('DELETE /events', { queue_id })
  assert.equal((await poll).code, 'BAD_EVENT_QUEUE_ID')
})

test('health and presence are urgent, polls come last, and all other requests are normal', () => {
  const priorityOf = priorities(api)
  const expected = {
    'GET /health': 'urgent',
    'HEAD /health': 'urgent',
    'POST /api/v1/users/me/presence': 'urgent',
    'POST /json/users/me/presence': 'urgent',
    'GET /api/v1/realm/presence': 'urgent',
    'GET /api/v1/users/7/presence': 'normal',
    'GET /api/v1/events': 'polls',
    'GET /json/events': 'polls',
    'DELETE /api/v1/events': 'normal',
    'GET /api/v1/messages': 'normal',
    'GET /presence': 'normal',
    'GET /': 'normal',
  }
  for (const [route, priority] of Object.entries(expected)) {
    const [method = '', path = ''] = route.split(' ')
    assert.equal(priorityOf(method, path), priority, route)
  }
})
