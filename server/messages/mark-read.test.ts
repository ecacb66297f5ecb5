import assert from 'node:assert/strict'
import test from 'node:test'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../test/messages.ts'

const flagsOf = async (person: Person, id: number) => (await fetchMessage(person, id)).flags

const flagEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter((event) => event.type === 'update_message_flags')

test('marking a topic, a channel or everything as read leaves all other messages unread', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [design, other] = [await chat.channel('design', [ada, ben]), await chat.channel('other', [ada, ben])]
  const tea = await sendToChannel(ada, design, 'a', 'tea')
  const coffee = await sendToChannel(ada, design, 'b', 'coffee')
  const elsewhere = await sendToChannel(ada, other, 'c', 'tea')
  const direct = await sendDirect(ada, [ben])
  const read = async () => Promise.all([tea, coffee, elsewhere, direct].map((id) => flagsOf(ben, id)))

  await ben.succeed('POST /mark_topic_as_read', { stream_id: design.id, topic_name: 'TEA' })
  assert.deepEqual(await read(), [['read'], [], [], []])
  await ben.succeed('POST /mark_stream_as_read', { stream_id: design.id })
  assert.deepEqual(await read(), [['read'], ['read'], [], []])
  const { complete } = await ben.succeed('POST /mark_all_as_read')
  assert.deepEqual(await read(), [['read'], ['read'], ['read'], ['read']])

  assert.equal(complete, true)
  const event = { type: 'update_message_flags', op: 'add', operation: 'add', flag: 'read' }
  assert.deepEqual(await flagEvents(chat, ben), [
    { ...event, messages: [tea], all: false },
    { ...event, messages: [coffee], all: false },
    { ...event, messages: [], all: true },
  ])
})

test('the empty topic can be marked as read by its display name', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const id = await sendToChannel(ada, design, 'a', '')

  await ben.succeed('POST /mark_topic_as_read', { stream_id: design.id, topic_name: 'general chat' })

  assert.deepEqual(await flagsOf(ben, id), ['read'])
})

test('marking as read keeps stars and mentions and does not affect other users', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])
  const id = await sendToChannel(ada, design, '@**Ben**')
  await ben.succeed('POST /messages/flags', { op: 'add', flag: 'starred', messages: [id] })

  await ben.succeed('POST /mark_stream_as_read', { stream_id: design.id })

  assert.deepEqual(await flagsOf(ben, id), ['read', 'starred', 'mentioned'])
  assert.deepEqual(await flagsOf(cleo, id), [])
})

test('marking a channel without unread messages as read emits no event', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])

  await ada.succeed('POST /mark_stream_as_read', { stream_id: design.id })

  assert.deepEqual(await flagEvents(chat, ada), [])
})

test('marking as read is refused for inaccessible channels and for topics without received messages', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [design, secret] = [
    await chat.channel('design', [ada, ben]),
    await chat.channel('secret', [ada], { isPrivate: true }),
  ]

  const calls = [
    await ben.call('POST /mark_stream_as_read', { stream_id: secret.id }),
    await ben.call('POST /mark_topic_as_read', { stream_id: 404, topic_name: 'tea' }),
    await ben.call('POST /mark_topic_as_read', { stream_id: design.id, topic_name: 'tea' }),
  ]

  const messages = calls.map((response) => response.msg)
  assert.deepEqual(messages, ['Invalid channel ID', 'Invalid channel ID', "No such topic 'tea'"])
})
