import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../harness.ts'
import { read, say, tell } from '../talk.ts'
import { basic, openQueue, peek, send, sendMultipart } from './requests.ts'

// What clients do on the wire that a server could stumble over, by the numbers of the list of traps. T1 is in
// server/sync/restart.test.ts and hub.test.ts, T16 is a client's own; the rest has a test here, some of them others beside.

async function setting(): Promise<{ chat: Chat; ada: Person; ben: Person; design: { id: number; name: string } }> {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

/** Lets what runs in the background come to rest. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

test('T1: the code of a dead queue is the one that clients register again for', async () => {
  const { ada } = await setting()

  const answer = await ada.call('GET /events', { queue_id: 'of another life', last_event_id: -1 })

  assert.deepEqual([answer.status, answer.code, answer['queue_id']], [400, 'BAD_EVENT_QUEUE_ID', 'of another life'])
})

test('T2, T3: a poll that waits is answered by a heartbeat within a minute, never by nothing; polls without waiting may be', async () => {
  const { chat, ada } = await setting()
  const queue = await openQueue(ada, { event_types: ['message'] })
  const startedAt = chat.clock.now()

  const poll = ada.succeed('GET /events', { queue_id: queue.id, last_event_id: queue.lastEventId })
  let heartbeatAt = 0
  poll.finally(() => {
    heartbeatAt = chat.clock.now()
  })
  while (heartbeatAt === 0) {
    await settled()
    await chat.clock.advance(1)
  }
  const { events } = await poll

  assert.deepEqual(
    events.map((event: { type: string }) => event.type),
    ['heartbeat'],
  )
  assert.ok(events[0].id >= queue.lastEventId)
  assert.ok(heartbeatAt - startedAt <= 56, `${heartbeatAt - startedAt} s`)
  assert.deepEqual(await peek(ada, { ...queue, lastEventId: events[0].id }), [])
})

test('T4: bodies may be urlencoded or multipart; of a JSON body nothing is read, and the client tries another way', async () => {
  const { chat, ada } = await setting()
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

test('T5: parameters of any method may stand in the query or in the body, and a body of GET does no harm', async () => {
  const { chat, ada, design } = await setting()
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const id = await say(ada, design)
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

test('T6: quotes and brackets may come as they are', async () => {
  const { chat, ada } = await setting()
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

test('T7: null is what is not given, and an unknown parameter may hold anything', async () => {
  const { chat, ada } = await setting()

  const all = await sendMultipart(chat, ada, '/api/v1/register', { event_types: 'null' })
  const mobile = await ada.succeed('POST /register', { idle_queue_timeout: '"mobile"', fetch_event_types: '["realm"]' })

  assert.ok('realm_users' in all)
  assert.deepEqual(mobile['ignored_parameters_unsupported'], ['idle_queue_timeout'])
})

test('T8: parameters and capabilities that nobody knows are ignored, and the parameters told', async () => {
  const { ada, design } = await setting()
  const id = await say(ada, design)

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

test('T9: a channel is named in any of the ways, and so are people; the topic has two names, of which one is given', async () => {
  const { ada, ben, design } = await setting()
  const toChannel = (to: string) => ada.call('POST /messages', { type: 'stream', to, subject: 'ways', content: to })
  const toPeople = (to: string) => ada.call('POST /messages', { type: 'private', to, content: to })

  for (const to of ['design', '"design"', `${design.id}`, '["design"]', `[${design.id}]`])
    assert.equal((await toChannel(to)).status, 200, to)
  for (const to of [`[${ben.id}]`, `["${ben.email}"]`, ben.email, `${ada.email}, ${ben.email}`])
    assert.equal((await toPeople(to)).status, 200, to)
  const twice = { type: 'channel', to: 'design', subject: 'one', topic: 'two', content: 'which?' }
  assert.equal((await ada.call('POST /messages', twice)).code, 'REQUEST_CONFUSING_VAR')
  const moved = await ada.call(`PATCH /messages/${await say(ada, design)}`, { subject: 'elsewhere' })
  assert.equal(moved.status, 200)

  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 20, num_after: 0 })
  assert.deepEqual(new Set(messages.map((message: { type: string }) => message.type)), new Set(['stream', 'private']))
  assert.ok(messages.every((message: { subject?: string }) => typeof message.subject === 'string'))
})

test('T10: terms of a narrow come as pairs and as objects, with old names and new', async () => {
  const { ada, ben, design } = await setting()
  const id = await say(ada, design, 'see https://example.com', 'lakes')
  const direct = await tell(ada, [ben])
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

test('T11: anchors as great as clients make them are understood, and read messages have the greatest', async () => {
  const { ada, ben, design } = await setting()
  await say(ada, design)
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

test('T12: Markdown is rendered where it was always rendered; pictures of gravatar are left to the client', async () => {
  const { ada, ben, design } = await setting()
  const queue = await openQueue(ben, { event_types: ['message'] })
  const id = await say(ada, design, '@**Ben** *soon*')

  const [event] = await peek(ben, queue)
  const found = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })

  assert.equal(event?.['message'].content, '@**Ben** *soon*')
  assert.match(found['messages'][0].content, /^<p>/)
  assert.match((await read(ben, id)).content, /^<p>/)
  assert.equal(event?.['message'].avatar_url, null)
  assert.equal(found['messages'][0].avatar_url, null)
  assert.equal((await ben.succeed('GET /users'))['members'][0].avatar_url, null)
})

test('T13: flags stand beside the message of an event, and in one that is fetched; an echo comes to its own queue', async () => {
  const { ada, ben } = await setting()
  const [own, other] = [
    await openQueue(ada, { event_types: ['message'] }),
    await openQueue(ada, { event_types: ['message'] }),
  ]
  const bens = await openQueue(ben, { event_types: ['message'] })
  const echo = { queue_id: own.id, local_id: '17.01' }
  await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello', ...echo })

  const events = [...(await peek(ada, own)), ...(await peek(ada, other)), ...(await peek(ben, bens))]

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

test('T14: the names that older clients ask for are there', async () => {
  const { chat, ada, design } = await setting()
  const id = await say(ada, design, '*hello*')

  const settings = await send(chat, { path: '/api/v1/server_settings', method: 'GET' })
  const message = await ada.succeed(`GET /messages/${id}`, { apply_markdown: true })

  assert.equal(settings['realm_uri'], 'http://parley.test')
  assert.equal(settings['realm_uri'], settings['realm_url'])
  assert.equal(message['raw_content'], '*hello*')
})

test('T15: every refusal is JSON with a code: a wrong key, a wrong method, an unknown path, too many requests', async () => {
  const { chat, ada } = await setting()
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

test('T17: no field of a message and of what is registered is missing, of channels and direct messages alike', async () => {
  const { ada, ben, design } = await setting()
  await say(ada, design)
  await tell(ada, [ben])
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

test('T18: presence in events is active or idle, and nothing else', async () => {
  const { ada, ben } = await setting()
  const queue = await openQueue(ben, { event_types: ['presence'] })
  await ada.succeed('POST /users/me/presence', { status: 'idle', ping_only: true })
  await ada.succeed('POST /users/me/presence', { status: 'active', ping_only: true })

  const events = await peek(ben, queue)

  assert.ok(events.length > 0)
  for (const event of events)
    for (const { client, status, timestamp, pushable } of Object.values<Record<string, unknown>>(event['presence'])) {
      assert.ok(status === 'active' || status === 'idle')
      assert.deepEqual([typeof client, typeof timestamp, typeof pushable], ['string', 'number', 'boolean'])
    }
})

test('T19: keys are 32 letters and digits', async () => {
  const { ada } = await setting()
  const { api_key: key } = await ada.succeed('POST /users/me/api_key/regenerate')

  assert.match(key, /^[A-Za-z0-9]{32}$/)
})

test('T20: where requests are not limited, hundreds in a second are answered', async () => {
  const { ada } = await setting()

  const answers = await Promise.all(Array.from({ length: 300 }, () => ada.call('GET /users/me')))

  assert.ok(answers.every((answer) => answer.status === 200))
})

test('T21: a topic without a name has one for clients that do not know of such', async () => {
  const { ada, ben, design } = await setting()
  const [old, modern] = [
    await openQueue(ben, { event_types: ['message'] }),
    await openQueue(ben, { event_types: ['message'], client_capabilities: { empty_topic_name: true } }),
  ]
  await say(ada, design, 'no topic', '(no topic)')
  const topicOf = async (params: object) =>
    (await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, ...params }))['messages'][0]
      .subject

  assert.deepEqual([await topicOf({}), await topicOf({ allow_empty_topic_name: true })], ['general chat', ''])
  assert.equal((await peek(ben, old))[0]?.['message'].subject, 'general chat')
  assert.equal((await peek(ben, modern))[0]?.['message'].subject, '')
})

test('T22: an edit and a move say all that clients need, and only a move how far it goes; unread marks say of what', async () => {
  const { ada, ben, design } = await setting()
  const id = await say(ada, design)
  const queue = await openQueue(ben, { event_types: ['update_message', 'update_message_flags'] })
  await ada.succeed(`PATCH /messages/${id}`, { content: 'edited' })
  await ada.succeed(`PATCH /messages/${id}`, { topic: 'moved', propagate_mode: 'change_all' })
  await ben.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })
  await ben.succeed('POST /messages/flags', { messages: [id], op: 'remove', flag: 'read' })

  const [edit, move, add, remove] = await peek(ben, queue)

  for (const event of [edit, move])
    for (const field of ['rendering_only', 'edit_timestamp', 'message_ids', 'flags', 'user_id'])
      assert.ok(event?.[field] !== undefined, field)
  assert.deepEqual([edit?.['propagate_mode'], 'subject' in (edit ?? {})], [undefined, false])
  assert.deepEqual(
    [move?.['stream_id'], move?.['orig_subject'], move?.['subject'], move?.['propagate_mode']],
    [design.id, 'tea', 'moved', 'change_all'],
  )
  assert.deepEqual([add?.['op'], add?.['operation'], add?.['all']], ['add', 'add', false])
  assert.deepEqual(remove?.['message_details'], { [id]: { type: 'stream', stream_id: design.id, topic: 'moved' } })
})

test('a picture of somebody is fetched with the same header as everything else', async () => {
  const { chat, ada, ben } = await setting()
  const answer = await chat.request({
    method: 'GET',
    path: `/avatar/${ada.id}`,
    headers: { host: 'parley.test', ...basic(ben) },
  })

  assert.ok([200, 302].includes(answer.status), String(answer.status))
})
