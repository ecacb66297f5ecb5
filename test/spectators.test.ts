import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '#api.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { sessionCookieName } from '#people/sessions.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { sendFiles } from './files.ts'
import { type Body, type Chat, type Person, startChat } from './harness.ts'
import { sendDirect, sendToChannel } from './messages.ts'
import { smallPng } from './pictures.ts'

type Visit = { prefix?: string; headers?: Record<string, string> }

/** Calls an endpoint without an account, like a page in a browser. Bodies have no credentials, either. */
async function visit(
  chat: Chat,
  route: string,
  params: Record<string, unknown> = {},
  { prefix = '/json', headers = {} }: Visit = {},
): Promise<Body> {
  const [method = '', path = ''] = route.split(' ')
  const form = new URLSearchParams(
    Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  ).toString()
  const isRead = method === 'GET'
  const answer = await chat.request({
    method,
    path: `${prefix}${path}${isRead && form !== '' ? `?${form}` : ''}`,
    headers: {
      host: 'parley.test',
      ...(!isRead && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(!isRead && { body: form }),
  })
  return { status: answer.status, ...JSON.parse(answer.body) }
}

const WEB_PUBLIC = { operator: 'channels', operand: 'web-public' }

const NEWEST = { anchor: 'newest', num_before: 100, narrow: [WEB_PUBLIC] }

const loggedOut = { status: 401, result: 'error', code: 'UNAUTHORIZED' }

function assertLoggedOut(answer: Body, what: string): void {
  const { status, result, code } = answer
  assert.deepEqual({ status, result, code }, loggedOut, what)
}

/** Starts an organization with a channel of each privacy, with one message each, by different people. */
async function startOpenChat(secret = 'a secret'): Promise<Chat & Awaited<ReturnType<typeof fill>>> {
  const chat = await startChat()
  await chat.change({ enable_spectator_access: true })
  return Object.assign(chat, await fill(chat, secret))
}

async function fill(chat: Chat, secret: string) {
  const [ada, ben] = [
    await chat.user('ada', {
      role: Role.owner,
      settings: { email_address_visibility: AddressVisibility.everyone },
    }),
    await chat.user('ben', { fullName: 'Benjamin Hidden' }),
  ]
  const open = await chat.channel('open', [ada], { isWebPublic: true })
  const members = await chat.channel('members', [ada, ben])
  const hidden = await chat.channel('hidden', [ada, ben], { isPrivate: true })
  return {
    ...{ ada, ben, open, members, hidden },
    ids: {
      open: await sendToChannel(ada, open, 'hello **world**'),
      members: await sendToChannel(ben, members, secret),
      hidden: await sendToChannel(ben, hidden, secret),
      direct: await sendDirect(ben, [ada], secret),
    },
  }
}

const pathOf = ({ path }: Endpoint) => path.replace(/\{\w+\}/g, '1')

test('endpoints that are not declared for spectators refuse them', async () => {
  const chat = await startOpenChat()

  for (const endpoint of api) {
    const route = `${endpoint.method} ${pathOf(endpoint)}`
    if (endpoint.who === 'anyone') continue
    if (endpoint.who !== 'spectator' && endpoint.who !== 'webhook bot') assertLoggedOut(await visit(chat, route), route)
    if (endpoint.who !== 'webhook bot') assertLoggedOut(await visit(chat, route, {}, { prefix: '/api/v1' }), route)
  }
  const open = api.filter(({ who }) => who === 'spectator').map(({ method, path }) => `${method} ${path}`)
  assert.deepEqual(open.toSorted(), [
    'GET /messages',
    'GET /messages/{message_id}',
    'GET /users/me/{stream_id}/topics',
    'POST /register',
  ])
})

test('a spectator reads the messages and topics of web-public channels, and of no others', async () => {
  const chat = await startOpenChat()
  const { ids, open, members, hidden } = chat

  const listed = await visit(chat, 'GET /messages', NEWEST)
  const inTopic = await visit(chat, 'GET /messages', {
    ...NEWEST,
    narrow: [WEB_PUBLIC, ['channel', open.id], ['topic', listed['messages'][0].subject]],
  })
  const named = await visit(chat, 'GET /messages', { ...NEWEST, narrow: [WEB_PUBLIC, ['channel', 'open']] })
  const byId = await visit(chat, 'GET /messages', { narrow: [WEB_PUBLIC], message_ids: Object.values(ids) })
  const single = await visit(chat, `GET /messages/${ids.open}`)
  const topics = await visit(chat, `GET /users/me/${open.id}/topics`)

  for (const found of [listed, inTopic, named, byId])
    assert.deepEqual(
      found['messages'].map(({ id, flags }: Body) => ({ id, flags })),
      [{ id: ids.open, flags: ['read'] }],
    )
  assert.equal(single['message'].content, '<p>hello <strong>world</strong></p>')
  assert.deepEqual(single['message'].flags, ['read'])
  assert.deepEqual(
    topics['topics'].map((topic: Body) => topic['max_id']),
    [ids.open],
  )
  for (const id of [ids.members, ids.hidden, ids.direct, 9999])
    assertLoggedOut(await visit(chat, `GET /messages/${id}`), `message ${id}`)
  const missing = await visit(chat, 'GET /users/me/9999/topics')
  for (const { id } of [members, hidden]) assert.deepEqual(await visit(chat, `GET /users/me/${id}/topics`), missing)
  for (const channel of ['members', 'hidden', 'nowhere']) {
    const refused = await visit(chat, 'GET /messages', { ...NEWEST, narrow: [WEB_PUBLIC, ['channel', channel]] })
    assert.equal(refused.msg, `Invalid narrow operator: unknown channel ${channel}`)
  }
  for (const { id } of [members, hidden]) {
    const found = await visit(chat, 'GET /messages', { ...NEWEST, narrow: [WEB_PUBLIC, ['channel', id]] })
    assert.deepEqual(found['messages'], [])
  }
})

test('a spectator must limit the narrow to web-public channels, and cannot ask for people, flags or words', async () => {
  const chat = await startOpenChat()

  for (const narrow of [
    [],
    [['channel', chat.open.id]],
    [{ ...WEB_PUBLIC, negated: true }],
    [['channels', 'public']],
    [WEB_PUBLIC, ['sender', chat.ben.id]],
    [WEB_PUBLIC, ['is', 'starred']],
    [WEB_PUBLIC, ['dm', [chat.ben.id]]],
    [WEB_PUBLIC, ['search', 'hello']],
  ])
    assertLoggedOut(await visit(chat, 'GET /messages', { ...NEWEST, narrow }), JSON.stringify(narrow))
})

test('messages come without addresses, without their history, and without what others know of them', async () => {
  const chat = await startOpenChat()
  const { ada, ben, hidden, open } = chat
  const id = await sendToChannel(ben, hidden, 'first words')
  await ben.succeed(`PATCH /messages/${id}`, { content: 'second words' })
  await ada.succeed(`PATCH /messages/${id}`, { stream_id: open.id, topic: 'moved', propagate_mode: 'change_one' })
  await ada.succeed(`POST /messages/${chat.ids.open}/reactions`, { emoji_name: 'tada' })
  await ada.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' })

  const { messages } = await visit(chat, 'GET /messages', { ...NEWEST, client_gravatar: false })
  const single = await visit(chat, `GET /messages/${id}`)

  const moved = messages.find((message: Body) => message['id'] === id)
  for (const message of [moved, single['message']]) {
    assert.equal(message.edit_history, undefined)
    assert.equal(typeof message.last_edit_timestamp, 'number')
    assert.equal(message.sender_full_name, 'Benjamin Hidden')
    assert.deepEqual(message.flags, ['read'])
  }
  const own = messages.find((message: Body) => message['id'] === chat.ids.open)
  const member = (await ada.succeed(`GET /messages/${own.id}`))['message']
  assert.equal(member.sender_email, 'ada@example.com')
  assert.equal(own.sender_email, `user${ada.id}@parley.test`)
  assert.match(own.avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\//)
  const forMembers = await ada.succeed('GET /messages', { anchor: own.id, client_gravatar: false })
  assert.notEqual(own.avatar_url, forMembers['messages'][0].avatar_url)
  assert.doesNotMatch(JSON.stringify([messages, single]), /example\.com|first words/)
})

test('reactions and votes can be counted, but do not say whose they are', async () => {
  const chat = await startOpenChat()
  const { ada, ben, open } = chat
  const id = await sendToChannel(ben, open, '/poll Tea?\nyes')
  const act = (person: Person, content: object) =>
    person.succeed('POST /submessage', { message_id: id, msg_type: 'widget', content: JSON.stringify(content) })
  await act(ada, { type: 'new_option', idx: 1, option: 'no' })
  await act(ben, { type: 'vote', key: `${ada.id},1`, vote: 1 })
  for (const person of [ada, ben]) await person.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })

  const { message } = await visit(chat, `GET /messages/${id}`)
  const { messages } = await visit(chat, 'GET /messages', NEWEST)

  for (const one of [message, messages.find((each: Body) => each['id'] === id)]) {
    assert.deepEqual(
      one.reactions.map(({ user_id }: Body) => user_id),
      [-1, -2],
    )
    assert.deepEqual(
      one.submessages.slice(1).map(({ sender_id, content }: Body) => [sender_id, JSON.parse(content as string).key]),
      [
        [-1, undefined],
        [ben.id, '-1,1'],
      ],
    )
  }
})

test('a spectator registers without a queue, and learns of the organization but not of its people', async () => {
  const chat = await startOpenChat()
  await chat.change({ signup_announcements_stream_id: chat.hidden.id })
  await sendFiles(chat, chat.ben, '/realm/emoji/gizmo', { name: 'gizmo.png', bytes: smallPng })

  const state = await visit(chat, 'POST /register', {
    client_capabilities: { linkifier_url_template: true, parley_extensions: true },
  })
  const some = await visit(chat, 'POST /register', { fetch_event_types: ['realm_emoji'] })

  assert.equal(state['queue_id'], null)
  assert.equal(state['last_event_id'], -1)
  assert.equal(state['realm_name'], 'Example')
  assert.deepEqual(
    state['subscriptions'].map((channel: Body) => [channel['name'], channel['is_web_public'], channel['creator_id']]),
    [['open', true, null]],
  )
  for (const name of [
    'realm_users',
    'realm_non_active_users',
    'cross_realm_bots',
    'realm_user_groups',
    'never_subscribed',
  ])
    assert.deepEqual(state[name], [], name)
  for (const name of Object.keys(state))
    assert.doesNotMatch(name, /^realm_(can_|.*_(stream|channel)_id$)|user_settings|unread_msgs/)
  assert.doesNotMatch(JSON.stringify(state), /hidden|members"|Benjamin|example\.com/i)
  assert.deepEqual(
    Object.keys(some).filter((name) => name.startsWith('realm_')),
    ['realm_emoji'],
  )
  for (const { realm_emoji } of [state, some])
    assert.deepEqual(
      Object.values<Body>(realm_emoji).map((emoji) => [emoji['name'], emoji['author_id']]),
      [['gizmo', null]],
    )
  assertLoggedOut(await visit(chat, 'GET /events', { queue_id: 'x', last_event_id: -1 }), 'events')
})

test('reading ends at once when the channel, the message, the setting or the organization no longer allows it', async () => {
  const chat = await startOpenChat()
  const { ada, open, hidden } = chat
  const second = await sendToChannel(ada, open, 'second')
  const isReadable = async (id: number) => (await visit(chat, `GET /messages/${id}`)).status === 200
  const readsAnything = async () => {
    const found = await visit(chat, 'GET /messages', NEWEST)
    return [await isReadable(chat.ids.open), found.status === 200 && found['messages'].length > 0]
  }
  const change = (path: string, params: Record<string, unknown>) => ada.succeed(`PATCH ${path}`, params)

  assert.ok(await isReadable(second))
  await change(`/messages/${second}`, { stream_id: hidden.id })
  assert.ok(!(await isReadable(second)))
  const third = await sendToChannel(ada, open, 'third')
  await ada.succeed(`DELETE /messages/${third}`)
  assert.ok(!(await isReadable(third)))

  assert.deepEqual(await readsAnything(), [true, true])
  await change(`/streams/${open.id}`, { is_web_public: false })
  assert.deepEqual(await readsAnything(), [false, false])
  await change(`/streams/${open.id}`, { is_web_public: true })
  assert.deepEqual(await readsAnything(), [true, true])
  await change('/realm', { enable_spectator_access: false })
  assert.deepEqual(await readsAnything(), [false, false])
  assertLoggedOut(await visit(chat, 'POST /register'), 'register')
  await change('/realm', { enable_spectator_access: true })
  await ada.succeed(`DELETE /streams/${open.id}`)
  assert.deepEqual(await readsAnything(), [false, false])
  await ada.succeed('POST /realm/deactivate')
  assertLoggedOut(await visit(chat, 'POST /register'), 'register')
})

test('answers for spectators do not depend on anything that they may not read', async () => {
  const answersOf = async (secret: string) => {
    const chat = await startOpenChat(secret)
    const { ada, ben, ids, hidden, members } = chat
    await ben.succeed('PATCH /settings', { full_name: `Ben ${secret}` })
    await ben.succeed('POST /users/me/status', { status_text: secret })
    await ada.succeed(`PATCH /streams/${hidden.id}`, { new_name: secret, description: secret })
    await ada.succeed(`PATCH /messages/${ids.members}`, { topic: secret })
    const narrow = (term: unknown) => visit(chat, 'GET /messages', { ...NEWEST, narrow: [WEB_PUBLIC, term] })
    return [
      await visit(chat, 'POST /register'),
      await visit(chat, 'GET /messages', NEWEST),
      await narrow(['channel', hidden.id]),
      await narrow(['channel', 'the dragon']),
      await narrow(['topic', 'the dragon']),
      await narrow(['with', ids.members]),
      await narrow(['id', ids.hidden]),
      await visit(chat, `GET /messages/${ids.direct}`),
      await visit(chat, `GET /users/me/${members.id}/topics`),
    ].map(({ server_generation, ...answer }) => answer)
  }

  assert.deepEqual(await answersOf('the dragon'), await answersOf('another'))
})

test('a client whose session has ended is asked to log in, although the organization has spectators', async () => {
  const chat = await startOpenChat()

  const withCookie = { cookie: `${sessionCookieName(chat.settings)}=${'a'.repeat(43)}` }
  assertLoggedOut(await visit(chat, 'POST /register', {}, { headers: { 'x-csrftoken': 'old' } }), 'token')
  assertLoggedOut(await visit(chat, 'GET /messages', NEWEST, { headers: withCookie }), 'cookie')
  assert.equal((await visit(chat, 'POST /register', {}, { headers: { origin: 'https://evil.example' } })).status, 403)
})

test('spectators of one network have limits of their own', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true, TRUST_X_REAL_IP: true } })
  await chat.change({ enable_spectator_access: true })
  const { ada, ids } = await fill(chat, 'a secret')
  const read = async (address: string) =>
    (await visit(chat, `GET /messages/${ids.open}`, {}, { headers: { 'x-real-ip': address } })).status

  for (let times = 0; times < 200; times += 1) assert.equal(await read('203.0.113.7'), 200)

  assert.equal(await read('203.0.113.7'), 429)
  assert.equal(await read('198.51.100.9'), 200)
  assert.equal((await ada.call(`GET /messages/${ids.open}`)).status, 200)
  await chat.clock.advance(60)
  assert.equal(await read('203.0.113.7'), 200)
})
