import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchMessage, sendDirect, sendToChannel } from '../messages.ts'
import { basic, fetchEventsNow, openQueue, send } from './requests.ts'
import { startClientChat } from './start-client-chat.ts'

// Expectations of clients about responses and events, numbered like the requests. T16 concerns clients only.

test('T12: Markdown is rendered, and Gravatar images are left to the client', async () => {
  const { ada, ben, design } = await startClientChat()
  const queue = await openQueue(ben, { event_types: ['message'] })
  const id = await sendToChannel(ada, design, '@**Ben** *soon*')

  const [event] = await fetchEventsNow(ben, queue)
  const found = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })

  assert.equal(event?.['message'].content, '@**Ben** *soon*')
  assert.match(found['messages'][0].content, /^<p>/)
  assert.match((await fetchMessage(ben, id)).content, /^<p>/)
  assert.equal(event?.['message'].avatar_url, null)
  assert.equal(found['messages'][0].avatar_url, null)
  assert.equal((await ben.succeed('GET /users'))['members'][0].avatar_url, null)
})

test('T13: flags are beside the message in an event and inside a fetched one, and the local id is sent to its queue only', async () => {
  const { ada, ben } = await startClientChat()
  const [own, other] = [
    await openQueue(ada, { event_types: ['message'] }),
    await openQueue(ada, { event_types: ['message'] }),
  ]
  const bens = await openQueue(ben, { event_types: ['message'] })
  const echo = { queue_id: own.id, local_id: '17.01' }
  await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello', ...echo })

  const events = [
    ...(await fetchEventsNow(ada, own)),
    ...(await fetchEventsNow(ada, other)),
    ...(await fetchEventsNow(ben, bens)),
  ]

  assert.deepEqual(
    events.map((event) => event['local_message_id']),
    ['17.01', undefined, undefined],
  )
  for (const event of events) {
    assert.ok(Array.isArray(event['flags']))
    assert.equal('flags' in event['message'], false)
  }
  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.deepEqual(messages[0].flags, [])
})

test('T14: the field names of older clients are present', async () => {
  const { chat, ada, design } = await startClientChat()
  const id = await sendToChannel(ada, design, '*hello*')

  const settings = await send(chat, { path: '/api/v1/server_settings', method: 'GET' })
  const message = await ada.succeed(`GET /messages/${id}`, { apply_markdown: true })

  assert.equal(settings['realm_uri'], 'http://parley.test')
  assert.equal(settings['realm_uri'], settings['realm_url'])
  assert.equal(message['raw_content'], '*hello*')
})

test('T15: every refusal is JSON with a code: a wrong key, a wrong method, an unknown path, too many requests', async () => {
  const { chat, ada } = await startClientChat()
  const key = `${ada.apiKey.slice(0, -1)}${ada.apiKey.endsWith('x') ? 'y' : 'x'}`
  const get = { method: 'GET', path: '/api/v1/users/me' }

  const refusals = [
    await send(chat, { ...get, headers: basic({ email: ada.email, apiKey: key }) }),
    await send(chat, { path: '/api/v1/users/me', method: 'PUT', as: ada }),
    await send(chat, { path: '/api/v1/nowhere', method: 'GET', as: ada }),
  ]
  chat.settings.RATE_LIMITING = true
  chat.settings.RATE_LIMITING_RULES = [[60, 1]]
  await send(chat, { ...get, as: ada })
  const limited = await chat.request({ ...get, headers: { host: 'parley.test', ...basic(ada) } })

  assert.deepEqual(
    refusals.map((answer) => answer.status),
    [401, 405, 404],
  )
  for (const answer of [...refusals, JSON.parse(limited.body)])
    assert.deepEqual([answer.result, typeof answer.code, typeof answer.msg], ['error', 'string', 'string'])
  assert.deepEqual([refusals[0]?.code, limited.status], ['UNAUTHORIZED', 429])
  assert.equal(JSON.parse(limited.body).code, 'RATE_LIMIT_HIT')
  assert.ok(Number(limited.headers['retry-after']) > 0)
})

test('T17: no field is missing in messages and in the initial state', async () => {
  const { ada, ben, design } = await startClientChat()
  await sendToChannel(ada, design)
  await sendDirect(ada, [ben])
  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 2, num_after: 0 })

  const needed = [
    'id',
    'sender_id',
    'content',
    'timestamp',
    'subject',
    'is_me_message',
    'reactions',
    'sender_full_name',
    'sender_email',
    'type',
    'flags',
    'display_recipient',
  ]
  for (const message of messages) for (const field of needed) assert.ok(message[field] !== undefined, field)
  const me = await ben.succeed('POST /register', { fetch_event_types: ['realm_user'] })
  assert.ok(me['realm_users'].some((user: { user_id: number }) => user.user_id === ben.id))
  assert.deepEqual([me['email'], me['user_id'], me['full_name']], [ben.email, ben.id, 'Ben'])
})

test('T18: presence in events is active or idle', async () => {
  const { ada, ben } = await startClientChat()
  const queue = await openQueue(ben, { event_types: ['presence'] })
  await ada.succeed('POST /users/me/presence', { status: 'idle', ping_only: true })
  await ada.succeed('POST /users/me/presence', { status: 'active', ping_only: true })

  const events = await fetchEventsNow(ben, queue)

  assert.ok(events.length > 0)
  for (const event of events)
    for (const { client, status, timestamp, pushable } of Object.values<Record<string, unknown>>(event['presence'])) {
      assert.ok(status === 'active' || status === 'idle')
      assert.deepEqual([typeof client, typeof timestamp, typeof pushable], ['string', 'number', 'boolean'])
    }
})

test('T19: keys are 32 letters and digits', async () => {
  const { ada } = await startClientChat()
  const { api_key: key } = await ada.succeed('POST /users/me/api_key/regenerate')

  assert.match(key, /^[A-Za-z0-9]{32}$/)
})

test('T20: without rate limits hundreds of requests a second are answered', async () => {
  const { ada } = await startClientChat()

  const answers = await Promise.all(Array.from({ length: 300 }, () => ada.call('GET /users/me')))

  assert.ok(answers.every((answer) => answer.status === 200))
})

test('T21: the empty topic has a name for clients that do not support it', async () => {
  const { ada, ben, design } = await startClientChat()
  const [old, modern] = [
    await openQueue(ben, { event_types: ['message'] }),
    await openQueue(ben, { event_types: ['message'], client_capabilities: { empty_topic_name: true } }),
  ]
  await sendToChannel(ada, design, 'no topic', '(no topic)')
  const topicOf = async (params: object) =>
    (await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, ...params }))['messages'][0]
      .subject

  assert.deepEqual([await topicOf({}), await topicOf({ allow_empty_topic_name: true })], ['general chat', ''])
  assert.equal((await fetchEventsNow(ben, old))[0]?.['message'].subject, 'general chat')
  assert.equal((await fetchEventsNow(ben, modern))[0]?.['message'].subject, '')
})

test('T22: events of edits, moves and unread flags have all fields that clients need', async () => {
  const { ada, ben, design } = await startClientChat()
  const id = await sendToChannel(ada, design)
  const queue = await openQueue(ben, { event_types: ['update_message', 'update_message_flags'] })
  await ada.succeed(`PATCH /messages/${id}`, { content: 'edited' })
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'moved', propagate_mode: 'change_all' })
  await ben.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })
  await ben.succeed('POST /messages/flags', { messages: [id], op: 'remove', flag: 'read' })

  const [edit, move, add, remove] = await fetchEventsNow(ben, queue)

  for (const event of [edit, move])
    for (const field of ['rendering_only', 'edit_timestamp', 'message_ids', 'flags', 'user_id'])
      assert.ok(event?.[field] !== undefined, field)
  assert.deepEqual([edit?.['propagate_mode'], 'subject' in (edit ?? {})], [undefined, false])
  assert.deepEqual(
    [move?.['stream_id'], move?.['orig_subject'], move?.['subject'], move?.['propagate_mode']],
    [design.id, 'tea', 'moved', 'change_all'],
  )
  assert.deepEqual([add?.['op'], add?.['operation'], add?.['all']], ['add', 'add', false])
  assert.deepEqual(remove?.['message_details'], {
    [id]: { type: 'stream', stream_id: design.id, topic: 'moved', unmuted_stream_msg: true },
  })
})

test('an avatar is fetched with the same header as all other requests', async () => {
  const { chat, ada, ben } = await startClientChat()
  const answer = await chat.request({
    method: 'GET',
    path: `/avatar/${ada.id}`,
    headers: { host: 'parley.test', ...basic(ben) },
  })

  assert.ok([200, 302].includes(answer.status), String(answer.status))
})
