import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, followsNothing, leaveChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'
import { oldestIncludedId } from './messages.ts'

const unreadOf = async (person: Person, params: Record<string, unknown> = {}) =>
  (await person.succeed('POST /register', { fetch_event_types: ['message', 'update_message_flags'], ...params }))[
    'unread_msgs'
  ]

async function world() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner, settings: followsNothing })
  const ben = await chat.user('ben')
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

test('unread messages are grouped by conversation and topic', async () => {
  const { chat, ada, ben, design } = await world()
  const cleo = await chat.user('cleo')
  const [tea, cake] = [
    await sendToChannel(ben, design, 'hello', 'tea'),
    await sendToChannel(ben, design, 'hello', 'cake'),
  ]
  const [direct, group] = [await sendDirect(ben, [ada]), await sendDirect(cleo, [ada, ben])]
  const read = await sendToChannel(ben, design, 'hello', 'tea')
  await ada.succeed('POST /messages/flags', { messages: [read], op: 'add', flag: 'read' })
  const more = await sendToChannel(ben, design, 'hello', 'Tea')

  assert.deepEqual(await unreadOf(ada), {
    count: 5,
    pms: [{ other_user_id: ben.id, sender_id: ben.id, unread_message_ids: [direct] }],
    streams: [
      { stream_id: design.id, topic: 'Tea', unread_message_ids: [tea, more] },
      { stream_id: design.id, topic: 'cake', unread_message_ids: [cake] },
    ],
    huddles: [{ user_ids_string: `${ada.id},${ben.id},${cleo.id}`, unread_message_ids: [group] }],
    mentions: [],
    old_unreads_missing: false,
  })
})

test('a message of a user to themselves that is unread again has the user as sender', async () => {
  const { ada } = await world()
  const note = await sendDirect(ada, [ada])
  await ada.succeed('POST /messages/flags', { messages: [note], op: 'remove', flag: 'read' })

  const { pms } = await unreadOf(ada)

  assert.deepEqual(pms, [{ other_user_id: ada.id, sender_id: ada.id, unread_message_ids: [note] }])
})

test('personal mentions count everywhere; wildcard mentions do not count in muted channels', async () => {
  const { chat, ada, ben, design } = await world()
  const loud = await chat.channel('loud', [ada, ben])
  const [mention, wildcard] = [await sendToChannel(ben, loud, '@**Ada**'), await sendToChannel(ben, loud, '@**all**')]
  const elsewhere = await sendToChannel(ben, design, '@**all**')
  await sendToChannel(ben, design, 'plain')
  await ada.succeed('POST /users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: loud.id, property: 'is_muted', value: true }],
  })

  const unread = await unreadOf(ada)

  assert.deepEqual(unread.mentions, [mention, elsewhere])
  assert.equal(unread.count, 2)
  assert.deepEqual(unread.streams[0].unread_message_ids, [mention, wildcard])
})

test('a mention of a group of the user counts', async () => {
  const { ada, ben, design } = await world()
  await ada.succeed('POST /user_groups/create', { name: 'makers', description: '', members: [ada.id] })
  const mention = await sendToChannel(ben, design, '@*makers*')

  assert.deepEqual((await unreadOf(ada)).mentions, [mention])
})

test('the empty topic has a name for clients that need one', async () => {
  const { ada, ben, design } = await world()
  await sendToChannel(ben, design, 'hello', '')

  const [older, newer] = [await unreadOf(ada), await unreadOf(ada, { client_capabilities: { empty_topic_name: true } })]

  assert.equal(older.streams[0].topic, 'general chat')
  assert.equal(newer.streams[0].topic, '')
})

test('nothing is unread in unsubscribed or archived channels', async () => {
  const { chat, ada, ben, design } = await world()
  const closing = await chat.channel('closing', [ada, ben])
  await sendToChannel(ben, design)
  const inClosing = await sendToChannel(ben, closing)

  await leaveChannel(ada, design)
  await ada.succeed(`DELETE /streams/${closing.id}`)

  assert.partialDeepStrictEqual(await unreadOf(ada), { count: 0, streams: [] })
  const newer = await unreadOf(ada, { client_capabilities: { archived_channels: true } })
  assert.deepEqual(newer.streams, [{ stream_id: closing.id, topic: 'tea', unread_message_ids: [inClosing] }])
})

test('messages from before a user joined are not unread for them', async () => {
  const { chat, ada, design } = await world()
  const cleo = await chat.user('cleo')
  await sendToChannel(ada, design)
  await addToChannel(ada, design, [cleo])
  const later = await sendToChannel(ada, design)

  const { streams } = await unreadOf(cleo)

  assert.deepEqual(streams, [{ stream_id: design.id, topic: 'tea', unread_message_ids: [later] }])
})

test('the newest unread messages that fit into a response are included', () => {
  const group = (ids: number[]) => ({ ids, mentions: [], wildcards: [] })
  const inTopics = (count: number, nameOf: (id: number) => string) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1)
    return Array.from(Map.groupBy(ids, nameOf), ([topic, ofTopic]) => ({ ...group(ofTopic), channelId: 1, topic }))
  }
  const participants = Array.from({ length: 1000 }, (_, index) => 100_000 + index).join(',')
  const inGroups = Array.from({ length: 1000 }, (_, index) => ({
    ...group([index + 1]),
    participantsKey: `${participants},${index + 1}`,
  }))

  const cut = oldestIncludedId(inTopics(50_000, (id) => `${id} ${'😀'.repeat(50)}`))
  const cutInGroups = oldestIncludedId(inGroups)

  assert.equal(oldestIncludedId(inTopics(50_000, () => 'tea')), 0)
  assert.equal(oldestIncludedId(inTopics(50_001, () => 'tea')), 2)
  assert.ok(cut > 40_000 && cut < 45_000, `${cut}`)
  assert.ok(cutInGroups > 700 && cutInGroups < 750, `${cutInGroups}`)
})
