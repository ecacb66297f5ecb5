import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Settings } from '#config.ts'
import { Role } from '#rules/role.ts'
import { PASSWORD, submitPassword } from '../../../test/browser.ts'
import { waitUntilPolling } from '../../../test/clients/requests.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

/** Registers a queue and starts a poll of it. `answer` is the response to that poll. */
async function listen(person: Person, registration: Record<string, unknown> = {}) {
  const { queue_id, last_event_id } = await person.succeed('POST /register', registration)
  const answer = person.call('GET /events', { queue_id, last_event_id })
  await waitUntilPolling(person)
  return { queue_id, last_event_id, answer }
}

type Listening = Awaited<ReturnType<typeof listen>>

/** Returns the content of each message event in the queue, and the type and `op` of each other event. */
async function received(person: Person, { queue_id, last_event_id }: Listening) {
  const { events } = await person.succeed('GET /events', { queue_id, last_event_id, dont_block: true })
  return events.map(({ type, op, message }: { type: string; op?: string; message?: { content: string } }) =>
    message === undefined ? [type, op].join(' ').trim() : message.content,
  )
}

async function startTalk(settings: Partial<Settings> = {}) {
  const chat = await startChat({ settings })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  return { chat, ada, ben }
}

const actions: Record<string, (chat: Chat, ada: Person, ben: Person) => Promise<unknown>> = {
  'a deactivated account': (_, ada, ben) => ada.succeed(`DELETE /users/${ben.id}`),
  'a regenerated key': (_, __, ben) => ben.succeed('POST /users/me/api_key/regenerate'),
  'a revoked key': async (_, __, ben) => {
    const { api_keys } = await ben.succeed('GET /users/me/api_keys')
    await ben.succeed(`DELETE /users/me/api_keys/${api_keys[0].id}`)
  },
}

for (const [cause, act] of Object.entries(actions)) {
  test(`${cause} ends the pending poll at once, and later polls are refused`, async () => {
    const { chat, ada, ben } = await startTalk()
    const listening = await listen(ben)

    await act(chat, ada, ben)

    assert.equal((await listening.answer).status, 401)
    assert.equal((await ben.call('GET /events', { queue_id: listening.queue_id, last_event_id: -1 })).status, 401)
  })
}

test('pending polls of an organization are answered or refused when it is deactivated, and later ones refused', async () => {
  const { ada, ben } = await startTalk()
  const listening = await listen(ben)

  await ada.succeed('POST /realm/deactivate')

  const { status, events } = await listening.answer
  assert.deepEqual(status === 200 ? events[0].op : status, status === 200 ? 'deactivated' : 401)
  assert.equal((await ben.call('GET /events', { queue_id: listening.queue_id, last_event_id: -1 })).status, 401)
})

test('a poll with an API key continues after a change of password', async () => {
  const { chat, ada, ben } = await startTalk()
  await submitPassword(chat, ben)
  const listening = await listen(ben, { event_types: ['realm'] })

  await ben.succeed('PATCH /settings', { old_password: PASSWORD, new_password: 'another horse battery' })
  await ada.succeed('PATCH /realm', { description: 'changed' })

  assert.equal((await listening.answer).events[0].type, 'realm')
})

test('a user who is removed from a private channel is notified at once and receives no further events of it', async () => {
  const { chat, ada, ben } = await startTalk()
  const secret = await chat.channel('secret', [ada, ben], { isPrivate: true })
  const said = await sendToChannel(ada, secret, 'before')
  const listening = await listen(ben, { all_public_streams: true })

  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['secret'], principals: [ben.id] })
  await sendToChannel(ada, secret, 'after')
  await ada.succeed(`POST /messages/${said}/reactions`, { emoji_name: 'tada' })
  await ada.succeed(`PATCH /messages/${said}`, { content: 'changed' })
  await ada.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: secret.id, topic: 'tea' })
  await ada.succeed(`PATCH /streams/${secret.id}`, { description: 'news' })

  assert.equal((await listening.answer).events[0].type, 'subscription')
  assert.deepEqual(await received(ben, listening), [
    'subscription remove',
    'stream delete',
    // The unread messages of the channel are marked as read.
    'update_message_flags add',
    `@_**Ada|${ada.id}** unsubscribed you from the channel #**secret**.`,
  ])
})

test('a user who becomes a guest is notified at once and receives no further events of public channels', async () => {
  const { chat, ada, ben } = await startTalk()
  const open = await chat.channel('open', [ada])
  const listening = await listen(ben, { all_public_streams: true, event_types: ['message', 'stream', 'realm_user'] })

  await sendToChannel(ada, open, 'before')
  await ada.succeed(`PATCH /users/${ben.id}`, { role: Role.guest })
  await sendToChannel(ada, open, 'after')

  assert.equal((await listening.answer).events[0].message.content, 'before')
  assert.deepEqual(await received(ben, listening), ['before', 'realm_user update', 'stream delete'])
})

test('a guest receives no events of users who are no longer visible', async () => {
  const { chat, ada, ben } = await startTalk({ CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('shared', [ben, gus])
  const listening = await listen(gus, {
    event_types: ['realm_user', 'user_status', 'presence'],
    client_capabilities: { user_list_incomplete: true },
  })

  await ada.succeed('DELETE /users/me/subscriptions', { subscriptions: ['shared'], principals: [ben.id] })
  await ben.succeed('POST /users/me/status', { status_text: 'away' })
  await ben.succeed('PATCH /settings', { full_name: 'Benjamin' })
  await ben.succeed('POST /users/me/presence', { status: 'active' })

  assert.equal((await listening.answer).events[0].type, 'realm_user')
  assert.deepEqual(await received(gus, listening), ['realm_user remove'])
})

test('a narrow to a channel matches nothing after the channel is renamed or archived, and polls continue', async () => {
  const { chat, ada, ben } = await startTalk()
  const design = await chat.channel('design', [ada, ben])
  const listening = await listen(ben, { narrow: [['channel', 'design']], event_types: ['message', 'stream'] })

  await sendToChannel(ada, design, 'before')
  await ada.succeed(`PATCH /streams/${design.id}`, { new_name: 'drawing' })
  await sendToChannel(ada, { name: 'drawing' }, 'after')
  await ada.succeed(`DELETE /streams/${design.id}`)

  assert.equal((await listening.answer).events[0].message.content, 'before')
  const what = await received(ben, listening)
  assert.ok(what.includes('stream update'), what.join())
  assert.equal(what.includes('after'), false)
})
