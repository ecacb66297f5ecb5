import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { fetchMessage, sendToChannel } from '../messages.ts'
import { basic, fetchEventsNow, mobileApp, openQueue, send, terminalStateTypes } from './requests.ts'
import { startClientChat } from './start-client-chat.ts'

// The requests of the mobile and desktop apps, replayed as they send them.

const password = 'a long garden path'

test('the mobile app adds an account without credentials, by address and password', async () => {
  const { chat } = await startClientChat()
  const boss = await chat.user('boss', { role: 100 })
  const account = { email: 'cleo@example.com', full_name: 'Cleo', password }
  const { user_id: id } = await boss.succeed('POST /users', account)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }

  const settings = await send(chat, { path: '/api/v1/server_settings', method: 'GET' })
  const body = new URLSearchParams({ username: account.email, password }).toString()
  const login = await send(chat, { path: '/api/v1/fetch_api_key', headers, body })

  assert.deepEqual([settings['zulip_feature_level'], settings['email_auth_enabled']], [372, true])
  assert.ok(URL.canParse(settings['realm_url']) && URL.canParse(settings['realm_uri']))
  assert.deepEqual([login['email'], login['user_id'], login['api_key'].length], [account.email, id, 32])
})

test('the mobile app starts, sends with local echo, reads, edits, reacts, follows a topic and sends typing notifications', async () => {
  const { ada, ben, design } = await startClientChat()
  const state = await ben.succeed('POST /register', mobileApp)
  const queue = { id: state['queue_id'], lastEventId: state['last_event_id'] }
  const old = await sendToChannel(ada, design, 'hello', 'walks')

  const echo = { queue_id: queue.id, local_id: '1' }
  const to = { type: 'channel', to: design.id, topic: 'walks', read_by_sender: true }
  const { id } = await ben.succeed('POST /messages', { ...to, content: 'from a phone', ...echo })
  const narrow = [
    { operator: 'channel', operand: design.id },
    { operator: 'topic', operand: 'walks' },
  ]
  const range = { anchor: 'first_unread', num_before: 100, num_after: 100, allow_empty_topic_name: true }
  const found = await ben.succeed('GET /messages', { ...range, narrow })
  const read_all = { anchor: 'oldest', num_before: 0, num_after: 1000, narrow, op: 'add', flag: 'read' }
  const marked = await ben.succeed('POST /messages/flags/narrow', read_all)
  await ben.succeed(`PATCH /messages/${id}`, {
    content: 'from *my* phone',
    prev_content_sha256: createHash('sha256').update('from a phone').digest('hex'),
  })
  const heart = { emoji_name: 'heart', emoji_code: '2764', reaction_type: 'unicode_emoji' }
  await ben.succeed(`POST /messages/${old}/reactions`, heart)
  await ben.succeed(`DELETE /messages/${old}/reactions`, heart)
  await ben.succeed('POST /user_topics', { stream_id: design.id, topic: 'walks', visibility_policy: 3 })
  await ben.succeed('POST /typing', { type: 'stream', op: 'start', stream_id: design.id, topic: 'walks' })
  await ben.succeed('POST /typing', { type: 'direct', op: 'start', to: [ada.id] })
  const { topics } = await ben.succeed(`GET /users/me/${design.id}/topics`, { allow_empty_topic_name: true })
  const presence = await ben.succeed('POST /users/me/presence', {
    last_update_id: -1,
    history_limit_days: 14,
    status: 'active',
    ping_only: false,
    new_user_input: false,
  })
  await ben.succeed('POST /users/me/android_gcm_reg_id', { token: 'a-token' })

  const events = await fetchEventsNow(ben, queue)
  assert.equal(events.find((event) => event['message']?.id === id)?.['local_message_id'], '1')
  assert.deepEqual([found['anchor'], found['found_newest'], found['messages'].length], [old, true, 2])
  assert.deepEqual([marked['updated_count'], marked['found_newest']], [1, true])
  assert.equal((await fetchMessage(ada, id)).content, '<p>from <em>my</em> phone</p>')
  for (const type of ['update_message', 'update_message_flags', 'reaction', 'user_topic', 'presence'])
    assert.ok(
      events.some((event) => event.type === type),
      type,
    )
  assert.equal(topics[0].name, 'walks')
  assert.ok(String(ben.id) in presence['presences'])
})

test('the mobile app fetches avatars in two sizes, and the emoji data without credentials', async () => {
  const { chat, ada, ben } = await startClientChat()
  const { server_emoji_data_url: address } = await ben.succeed('POST /register', {
    ...mobileApp,
    fetch_event_types: ['realm'],
  })

  const data = await send(chat, { path: new URL(address).pathname, method: 'GET' })

  assert.ok(data['code_to_names']['1f642'].includes('smile'))
  for (const path of [`/avatar/${ada.id}`, `/avatar/${ada.id}/medium`]) {
    const { status } = await chat.request({ method: 'GET', path, headers: { host: 'parley.test', ...basic(ben) } })
    assert.ok([200, 302].includes(status), `${path}: ${status}`)
  }
})

test('the desktop app requests the settings with GET and HEAD, and loads the icon in them', async () => {
  const { chat } = await startClientChat()
  const headers = { host: 'parley.test' }

  const head = await chat.request({ method: 'HEAD', path: '/api/v1/server_settings', headers })
  const settings = await send(chat, { path: '/api/v1/server_settings', method: 'GET' })

  assert.deepEqual([head.status, head.body], [200, ''])
  for (const field of ['realm_name', 'realm_uri', 'realm_icon', 'zulip_version'])
    assert.equal(typeof settings[field], 'string', field)
})

test('the terminal client registers and exits', async () => {
  const { ada, ben, design } = await startClientChat()
  await sendToChannel(ada, design)
  const first = {
    anchor: 0,
    num_before: 30,
    num_after: 10,
    apply_markdown: true,
    use_first_unread_anchor: true,
    client_gravatar: true,
    narrow: [],
  }

  const found = await ben.succeed('GET /messages', first)
  const queue = await openQueue(ben, {
    fetch_event_types: terminalStateTypes,
    include_subscribers: true,
  })
  const { presences } = await ben.succeed('POST /users/me/presence', { status: 'active', new_user_input: true })
  await ben.succeed('DELETE /events', { queue_id: queue.id })

  assert.equal(found['messages'].length, 1)
  assert.deepEqual(Object.keys(presences), [ben.email])
  assert.equal((await ben.call('GET /events', { queue_id: queue.id, last_event_id: -1 })).code, 'BAD_EVENT_QUEUE_ID')
})
