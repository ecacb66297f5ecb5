import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { fetchMessage, sendToChannel } from '../../../test/messages.ts'

const rename = (person: Person, id: number, topic: string, mode = 'change_all') =>
  person.succeed(`PATCH /messages/${id}`, { topic, propagate_mode: mode })

async function startTopic() {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben, cleo]))
  await ben.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  return { chat, ada, ben, cleo, id }
}

/** Returns the ids of all messages that the user has received after the first one. */
async function noticesTo(chat: Chat, person: Person): Promise<number[]> {
  const messages = (await chat.eventsOf(person)).filter((event) => event.type === 'message')
  return messages.slice(1).map((event) => (event['message'] as { id: number }).id)
}

test('unresolving a topic within a minute deletes the notice about resolving it, without a new notice', async () => {
  const { chat, ada, ben, id } = await startTopic()
  await rename(ada, id, '✔ tea')
  const [notice] = await noticesTo(chat, ben)
  await chat.clock.advance(60)

  await rename(ben, id, 'tea')

  assert.deepEqual(await noticesTo(chat, ben), [notice])
  const event = (await chat.eventsOf(ben)).findLast(({ type }) => type === 'delete_message')
  assert.deepEqual(event?.['message_ids'], [notice])
  assert.equal((await ada.call(`GET /messages/${notice}`)).status, 400)
})

test('unresolving a topic later, or after new messages, keeps the notice and sends another', async () => {
  const { chat, ada, ben, id } = await startTopic()
  await rename(ada, id, '✔ tea')
  await chat.clock.advance(61)

  await rename(ada, id, 'tea')
  await ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'tea', content: 'wait' })
  await rename(ada, id, '✔ tea')

  assert.equal((await noticesTo(chat, ben)).length, 4)
  assert.equal((await chat.eventsOf(ben)).filter(({ type }) => type === 'delete_message').length, 0)
})

test('unresolving a topic never deletes a message of a user that reads like the notice about resolving it', async () => {
  const { chat, ada, ben, id } = await startTopic()
  await rename(ada, id, '✔ tea')
  const content = 'Ada has marked this topic as resolved.'
  const { id: own } = await ben.succeed('POST /messages', { type: 'channel', to: 'design', topic: '✔ tea', content })

  await rename(ada, id, 'tea')

  const received = await noticesTo(chat, ben)
  assert.deepEqual([received.length, received[1]], [3, own])
  assert.equal((await fetchMessage(ben, own)).content, `<p>${content}</p>`)
})

test('resolving the rest of a topic does not delete the notice about its first part', async () => {
  const { chat, ada, ben, id } = await startTopic()
  const later = await ada.succeed('POST /messages', { type: 'channel', to: 'design', topic: 'tea', content: 'done' })
  await rename(ada, later['id'] as number, '✔ tea', 'change_one')

  await rename(ada, id, '✔ tea')

  const events = (await chat.eventsOf(ben)).filter(({ type }) => type === 'delete_message')
  assert.deepEqual(events, [])
  assert.equal((await noticesTo(chat, ben)).length, 3)
})

test('the notice about a resolved topic is unread only for users who sent or reacted to messages there', async () => {
  const { chat, ada, ben, cleo, id } = await startTopic()

  await rename(cleo, id, '✔ tea')

  const [notice = 0] = await noticesTo(chat, ben)
  assert.deepEqual((await fetchMessage(ada, notice)).flags, [])
  assert.deepEqual((await fetchMessage(ben, notice)).flags, [])
  assert.deepEqual((await fetchMessage(cleo, notice)).flags, ['read'])
})
