import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'
import { bothClients, type Listen, listen } from '../../test/listen.ts'
import { sendToChannel } from '../../test/messages.ts'
import { plainForm, webForm } from '../../test/queue-forms.ts'
import type { Payload, QueueForm } from './queues/event-queue.ts'
import { shapeEvent } from './shapes.ts'

async function setting(): Promise<{ chat: Chat; ada: Person; ben: Person; design: { id: number; name: string } }> {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

/** Returns the received events of a type. */
const of = async (type: string, received: Listen): Promise<ReceivedEvent[]> =>
  (await received()).filter((event) => event.type === type)

test('messages that are deleted together come in one event, or in one event each', async () => {
  const { ada, ben, design } = await setting()
  const ids = [await sendToChannel(ada, design), await sendToChannel(ben, design)]
  const { toOld, toNewer } = await bothClients(ben, 'bulk_message_deletion')

  await ada.succeed(`POST /streams/${design.id}/delete_topic`, { topic_name: 'tea' })

  const event = { type: 'delete_message', message_type: 'stream', stream_id: design.id, topic: 'tea' }
  const [events, ...more] = await of('delete_message', toNewer)
  assert.deepEqual(more, [])
  const receivedIds = events?.['message_ids'] as number[] | undefined
  assert.deepEqual({ ...events, message_ids: receivedIds?.toSorted() }, { ...event, message_ids: ids })
  assert.deepEqual(
    (await of('delete_message', toOld)).toSorted((a, b) => Number(a['message_id']) - Number(b['message_id'])),
    ids.map((message_id) => ({ ...event, message_id })),
  )
})

test('only clients that can show typing in channels receive it', async () => {
  const { ada, ben, design } = await setting()
  const { toOld, toNewer } = await bothClients(ben, 'stream_typing_notifications')

  await ada.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: design.id, topic: 'tea' })
  await ada.succeed('POST /typing', { op: 'stop', to: [ben.id] })

  assert.deepEqual(
    (await toNewer()).map(({ message_type, op }) => [message_type, op]),
    [
      ['stream', 'start'],
      ['direct', 'stop'],
    ],
  )
  assert.deepEqual(
    (await toOld()).map(({ message_type, op }) => [message_type, op]),
    [['direct', 'stop']],
  )
})

test('an archived channel is deleted for clients that do not know archived channels', async () => {
  const { ada, ben, design } = await setting()
  const { toOld, toNewer } = await bothClients(ben, 'archived_channels')

  await ada.succeed(`DELETE /streams/${design.id}`)

  const stream = { type: 'stream', stream_id: design.id, name: 'design' }
  assert.deepEqual(await of('stream', toNewer), [{ ...stream, op: 'update', property: 'is_archived', value: true }])
  const gone = { streams: [{ stream_id: design.id }], stream_ids: [design.id] }
  assert.deepEqual(await of('stream', toOld), [{ type: 'stream', op: 'delete', ...gone }])
})

test('settings of an archived channel are only sent to clients that know archived channels', async () => {
  const { ada, ben, design } = await setting()
  await ada.succeed(`DELETE /streams/${design.id}`)
  const { toOld, toNewer } = await bothClients(ben, 'archived_channels')

  const pinned = { stream_id: design.id, property: 'pin_to_top', value: true }
  await ben.succeed('POST /users/me/subscriptions/properties', { subscription_data: [pinned] })

  assert.deepEqual(await of('subscription', toNewer), [{ type: 'subscription', op: 'update', ...pinned }])
  assert.deepEqual(await of('subscription', toOld), [])
})

test('messages that are unread again in an archived channel are only sent to clients that know archived channels', async () => {
  const { chat, ada, ben, design } = await setting()
  const other = await chat.channel('other', [ada, ben])
  const messages = [await sendToChannel(ada, design), await sendToChannel(ada, other)]
  await ben.succeed('POST /messages/flags', { messages, op: 'add', flag: 'read' })
  await ada.succeed(`DELETE /streams/${design.id}`)
  const { toOld, toNewer } = await bothClients(ben, 'archived_channels')

  await ben.succeed('POST /messages/flags', { messages, op: 'remove', flag: 'read' })
  await ben.succeed('POST /messages/flags', { messages: messages.slice(0, 1), op: 'add', flag: 'read' })
  await ben.succeed('POST /messages/flags', { messages: messages.slice(0, 1), op: 'remove', flag: 'read' })

  const received = async (listen: Listen) =>
    (await of('update_message_flags', listen)).map((event) => [
      event['op'],
      event['messages'],
      event['message_details'],
    ])
  const details = messages.map((id, i) => [
    id,
    { type: 'stream', stream_id: [design, other][i]!.id, topic: 'tea', unmuted_stream_msg: true },
  ])
  const [inDesign, inOther] = details.map((detail) => Object.fromEntries([detail]))
  assert.deepEqual(await received(toNewer), [
    ['remove', messages, { ...inDesign, ...inOther }],
    ['add', messages.slice(0, 1), undefined],
    ['remove', messages.slice(0, 1), inDesign],
  ])
  assert.deepEqual(await received(toOld), [
    ['remove', messages.slice(1), inOther],
    ['add', messages.slice(0, 1), undefined],
  ])
})

test('a deactivated group is removed for clients that do not know deactivated groups', async () => {
  const { ada, ben } = await setting()
  const group = { name: 'makers', description: '', members: [ben.id] }
  const { group_id } = await ada.succeed('POST /user_groups/create', group)
  const { toOld, toNewer } = await bothClients(ben, 'include_deactivated_groups')

  await ada.succeed(`POST /user_groups/${group_id}/deactivate`)

  const event = { type: 'user_group', group_id }
  assert.deepEqual(await of('user_group', toNewer), [{ ...event, op: 'update', data: { deactivated: true } }])
  assert.deepEqual(await of('user_group', toOld), [{ ...event, op: 'remove' }])
})

test('the empty topic has a name in every event for clients that need one', async () => {
  const { ada, ben, design } = await setting()
  const capabilities = { stream_typing_notifications: true, bulk_message_deletion: true }
  const toOld = await listen(ben, { client_capabilities: capabilities })
  const toNewer = await listen(ben, { client_capabilities: { ...capabilities, empty_topic_name: true } })
  const toOldest = await listen(ben, { event_types: ['muted_topics'] })

  const id = await sendToChannel(ada, design, 'hello', '')
  await ada.succeed('POST /typing', { type: 'channel', op: 'start', stream_id: design.id, topic: '' })
  await ada.succeed(`POST /messages/${id}/typing`, { op: 'start' })
  for (const op of ['add', 'remove']) await ben.succeed('POST /messages/flags', { messages: [id], op, flag: 'read' })
  for (const topic of ['tea', ''])
    await ada.succeed(`PATCH /messages/${id}`, { topic, send_notification_to_new_thread: false })
  await ben.succeed('POST /user_topics', { stream_id: design.id, topic: '', visibility_policy: 1 })
  await ada.succeed(`DELETE /messages/${id}`)

  const named = (topic: string) => ({
    message: [topic],
    typing: [topic],
    typing_edit_message: [topic],
    update_message_flags: [topic],
    user_topic: [topic],
    update_message: [topic, 'tea', 'tea', topic],
    delete_message: [topic],
  })
  assert.deepEqual(topicsOf(await toNewer()), named(''))
  assert.deepEqual(topicsOf(await toOld()), named('general chat'))
  const [muted] = await toOldest()
  const mutedTopics = muted?.['muted_topics'] as unknown[][] | undefined
  assert.equal(mutedTopics?.[0]?.[1], 'general chat')
})

/** Returns the topics in the events, by event type. */
function topicsOf(events: readonly ReceivedEvent[]): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {}
  for (const { type, ...event } of events) {
    const message = event['message'] as { subject?: string } | undefined
    const recipient = event['recipient'] as { topic?: string } | undefined
    const details = event['message_details'] as Record<string, { topic?: string }> | undefined
    const topics = [
      message?.subject,
      recipient?.topic,
      ...Object.values(details ?? {}).map((detail) => detail.topic),
      event['topic'],
      event['topic_name'],
      event['orig_subject'],
      event['subject'],
    ]
    const named = topics.filter((topic) => topic !== undefined)
    if (named.length > 0) found[type] = [...(found[type] ?? []), ...named]
  }
  return found
}

test("the server's own emoji have the type name that the client knows", async () => {
  const { ada, ben, design } = await setting()
  const id = await sendToChannel(ada, design)
  const toOurs = await listen(ben)
  const toOfficial = await listen(ben, {}, { 'user-agent': 'ZulipFlutter/30' })

  await ada.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'parley' })
  await ada.succeed('POST /users/me/status', { emoji_name: 'parley' })

  const kinds = async (received: Listen) => (await received()).map(({ type, reaction_type }) => [type, reaction_type])
  assert.deepEqual(await kinds(toOurs), [
    ['reaction', 'service_extra_emoji'],
    ['user_status', 'service_extra_emoji'],
  ])
  assert.deepEqual(await kinds(toOfficial), [
    ['reaction', 'zulip_extra_emoji'],
    ['user_status', 'zulip_extra_emoji'],
  ])
})

test('presence events have the user id, and the email address without slim_presence', async () => {
  const { ada, ben } = await setting()
  const [toOld, toSlim] = [await listen(ben), await listen(ben, { slim_presence: true })]

  await ada.succeed('POST /users/me/presence', { status: 'active' })

  const [[slim], old] = [await of('presence', toSlim), await of('presence', toOld)]
  assert.equal(slim?.['user_id'], ada.id)
  assert.equal(slim?.['email'], undefined)
  assert.deepEqual(old, [{ ...slim, email: ada.email }])
})

test('settings that only this server has are left out of events about several settings and about defaults', () => {
  const received = (form: QueueForm, payload: Payload & { type: string }) => {
    const event = { id: 1, type: payload.type, payload, audience: new Set([1]), size: 0 }
    const times = { registeredAt: 0, polledAt: 0, lifespan: 600 }
    const queue = { id: 'one', realmId: 1, userId: 1, startId: 0, acknowledgedId: 0, ...times, form }
    return JSON.parse(`[${shapeEvent(event, queue)}]`) as unknown
  }
  const update = { type: 'realm', op: 'update_dict', property: 'default' }
  const [known, own] = [{ invite_required: false }, { allow_search_engines: true }]
  const setDefault = { type: 'realm_user_settings_defaults', op: 'update', property: 'do_not_disturb_until', value: 5 }

  assert.deepEqual(received(plainForm, { ...update, data: { ...known, ...own } }), [{ ...update, data: known, id: 1 }])
  assert.deepEqual(received(plainForm, { ...update, data: own }), [])
  assert.deepEqual(received(webForm, { ...update, data: own }), [{ ...update, data: own, id: 1 }])
  assert.deepEqual(received(plainForm, setDefault), [])
  assert.deepEqual(received(webForm, setDefault), [{ ...setDefault, id: 1 }])
})
