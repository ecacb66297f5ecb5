import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendDirect, sendToChannel } from '../messages.ts'
import { fetchEventsNow, openQueue, send, sendMultipart, waitUntilPolling } from './requests.ts'
import { startClientChat } from './start-client-chat.ts'

// Peculiar requests of clients that a server must handle, numbered T1 to T22.

test('T1: an expired queue gets the code that makes clients register again', async () => {
  const { ada } = await startClientChat()

  const answer = await ada.call('GET /events', { queue_id: 'of another life', last_event_id: -1 })

  assert.deepEqual([answer.status, answer.code, answer['queue_id']], [400, 'BAD_EVENT_QUEUE_ID', 'of another life'])
})

test('T2, T3: a waiting poll gets a heartbeat within a minute and never an empty list, unlike polls without waiting', async () => {
  const { chat, ada } = await startClientChat()
  const queue = await openQueue(ada, { event_types: ['message'] })

  const poll = ada.succeed('GET /events', { queue_id: queue.id, last_event_id: queue.lastEventId })
  await waitUntilPolling(ada)
  await chat.clock.advance(56)
  const { events } = await poll

  assert.deepEqual(
    events.map((event: { type: string }) => event.type),
    ['heartbeat'],
  )
  assert.ok(events[0].id >= queue.lastEventId)
  assert.deepEqual(await fetchEventsNow(ada, { ...queue, lastEventId: events[0].id }), [])
})

test('T4: bodies may be urlencoded or multipart, and application/json is ignored so that the client tries a form', async () => {
  const { chat, ada } = await startClientChat()
  const message = { type: 'stream', to: 'design', topic: 'bodies', content: 'hello' }
  const json = { 'content-type': 'application/json' }

  const multipart = await sendMultipart(chat, ada, '/api/v1/messages', message)
  const registered = await sendMultipart(chat, ada, '/api/v1/register', { event_types: 'null' })
  const refused = await send(chat, { path: '/api/v1/messages', as: ada, headers: json, body: JSON.stringify(message) })
  const urlencoded = await ada.call('POST /messages', message)
  const get = await send(chat, { path: '/api/v1/users', method: 'GET', as: ada, headers: json })

  assert.deepEqual([multipart.status, registered.status, urlencoded.status, get.status], [200, 200, 200, 200])
  assert.deepEqual([refused.status, refused.code], [400, 'REQUEST_VARIABLE_MISSING'])
})

test('T5: parameters of any method may be in the query or the body, and a body of GET is ignored', async () => {
  const { chat, ada, design } = await startClientChat()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const id = await sendToChannel(ada, design)
  const path = `/api/v1/messages/${id}`

  const inQuery = await send(chat, { path: `${path}?content=by+query`, method: 'PATCH', as: ada })
  const inBody = await send(chat, { path, method: 'PATCH', as: ada, headers: form, body: 'content=by+body' })
  const both = await send(chat, {
    path: `${path}?content=query`,
    method: 'PATCH',
    as: ada,
    headers: form,
    body: 'content=body',
  })
  const get = await send(chat, {
    path: '/api/v1/get_stream_id?stream=design',
    method: 'GET',
    as: ada,
    headers: form,
    body: 'a=b',
  })
  const deleted = await send(chat, {
    path: `//api//v1//messages/${id}/reactions?emoji_name=tada`,
    method: 'DELETE',
    as: ada,
  })

  assert.deepEqual([inQuery.status, inBody.status, both.status], [200, 200, 200])
  const { message_history: steps } = await ada.succeed(`GET /messages/${id}/history`)
  assert.deepEqual(
    steps.map((step: { content: string }) => step.content),
    ['hello', 'by query', 'by body', 'body'],
  )
  assert.equal(get['stream_id'], design.id)
  assert.equal(deleted.code, 'REACTION_DOES_NOT_EXIST')
})

test('T6: quotes and brackets may be unescaped', async () => {
  const { chat, ada } = await startClientChat()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }

  const answer = await send(chat, {
    path: '/api/v1/register',
    as: ada,
    headers,
    body: 'event_types=["message"]&all_public_streams=true',
  })

  assert.equal(answer.status, 200)
  assert.equal('realm_users' in answer, false)
})

test('T7: null means absent, and an unknown parameter may contain anything', async () => {
  const { chat, ada } = await startClientChat()

  const all = await sendMultipart(chat, ada, '/api/v1/register', { event_types: 'null' })
  const mobile = await ada.succeed('POST /register', { idle_queue_timeout: '"mobile"', fetch_event_types: '["realm"]' })

  assert.ok('realm_users' in all)
  assert.deepEqual(mobile['ignored_parameters_unsupported'], ['idle_queue_timeout'])
})

test('T8: unknown parameters and capabilities are ignored, and the parameters are reported', async () => {
  const { ada, design } = await startClientChat()
  const id = await sendToChannel(ada, design)

  const edited = await ada.succeed(`PATCH /messages/${id}`, {
    message_id: id,
    content: 'edited',
    zebra: '1',
    apple: '2',
  })
  const capabilities = {
    individual_emoji_changes: true,
    simplified_presence_events: true,
    notification_settings_null: true,
  }
  const registered = await ada.call('POST /register', { client_capabilities: capabilities, fetch_event_types: [] })

  assert.deepEqual(edited['ignored_parameters_unsupported'], ['apple', 'message_id', 'zebra'])
  assert.equal(registered.status, 200)
})

test('T9: channels and users can be named in every way, and the topic has two parameter names', async () => {
  const { ada, ben, design } = await startClientChat()
  const toChannel = (to: string) => ada.call('POST /messages', { type: 'stream', to, subject: 'ways', content: to })
  const toPeople = (to: string) => ada.call('POST /messages', { type: 'private', to, content: to })

  for (const to of ['design', '"design"', `${design.id}`, '["design"]', `[${design.id}]`])
    assert.equal((await toChannel(to)).status, 200, to)
  for (const to of [`[${ben.id}]`, `["${ben.email}"]`, ben.email, `${ada.email}, ${ben.email}`])
    assert.equal((await toPeople(to)).status, 200, to)
  const twice = { type: 'channel', to: 'design', subject: 'one', topic: 'two', content: 'which?' }
  assert.equal((await ada.call('POST /messages', twice)).code, 'REQUEST_CONFUSING_VAR')
  const moved = await ada.call(`PATCH /messages/${await sendToChannel(ada, design)}`, { subject: 'elsewhere' })
  assert.equal(moved.status, 200)

  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 20, num_after: 0 })
  assert.deepEqual(new Set(messages.map((message: { type: string }) => message.type)), new Set(['stream', 'private']))
  assert.ok(messages.every((message: { subject?: string }) => typeof message.subject === 'string'))
})

test('T10: narrow terms may be pairs or objects, with old and new names', async () => {
  const { ada, ben, design } = await startClientChat()
  const id = await sendToChannel(ada, design, 'see https://example.com', 'lakes')
  const direct = await sendDirect(ada, [ben])
  const find = async (narrow: unknown) =>
    (await ben.succeed('GET /messages', { anchor: 'newest', num_before: 9, num_after: 0, narrow }))['messages'].map(
      (message: { id: number }) => message.id,
    )

  for (const narrow of [
    [
      ['stream', 'design'],
      ['topic', 'lakes'],
    ],
    [
      { operator: 'channel', operand: design.id, negated: false },
      { operator: 'topic', operand: 'lakes' },
    ],
    [{ operator: 'with', operand: id }],
    [{ operator: 'id', operand: String(id) }],
    [{ operator: 'has', operand: 'link' }],
    [{ operator: 'is', operand: 'dm', negated: true }],
    [['search', 'example']],
  ])
    assert.deepEqual(await find(narrow), [id], JSON.stringify(narrow))
  for (const narrow of [
    [['pm-with', `${ada.email}, ${ben.email}`]],
    [['is', 'private']],
    [{ operator: 'dm', operand: [ada.id] }],
    [
      { operator: 'sender', operand: ada.id },
      { operator: 'is', operand: 'dm' },
    ],
  ])
    assert.deepEqual(await find(narrow), [direct], JSON.stringify(narrow))
})

test('T11: very large anchors are accepted', async () => {
  const { ada, ben, design } = await startClientChat()
  await sendToChannel(ada, design)
  const range = { num_before: 5, num_after: 5 }
  await ben.succeed('POST /mark_all_as_read')

  const terminal = await ben.succeed('GET /messages', { ...range, anchor: 0, use_first_unread_anchor: true })
  const far = await ben.succeed('GET /messages', { ...range, anchor: 10000000000 })
  const farther = await ben.succeed('GET /messages', { ...range, anchor: '10000000000000000' })

  assert.equal(terminal['anchor'], 10000000000000000)
  assert.deepEqual([far['messages'].length, farther['messages'].length], [1, 1])
  for (const found of [terminal, far, farther])
    for (const field of ['found_newest', 'found_oldest', 'found_anchor', 'history_limited'])
      assert.equal(typeof found[field], 'boolean', field)
})
