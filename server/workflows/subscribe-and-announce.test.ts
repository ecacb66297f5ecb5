import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../test/harness.ts'

const join = (person: Person, names: readonly string[], principals: readonly { id: number }[]) =>
  person.succeed('POST /users/me/subscriptions', {
    subscriptions: names.map((name) => ({ name })),
    principals: principals.map(({ id }) => id),
  })

/** Returns the sender and content of each message that the user received. */
async function receivedMessages(chat: Chat, person: Person): Promise<unknown[]> {
  const received = (await chat.eventsOf(person)).filter((event: ReceivedEvent) => event.type === 'message')
  const messages = received.map((event) => event['message'] as Record<string, unknown>)
  return messages.map((message) => [message['sender_full_name'], message['content']])
}

test('users who are added to channels by someone else get one direct message', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  await chat.channel('design', [ada, cleo])
  await chat.channel('sales', [ada])

  await join(ada, ['design', 'sales'], [ada, ben, cleo])
  await join(ada, ['design', 'sales'], [ben, cleo])

  const who = `@**Ada|${ada.id}**`
  assert.deepEqual(await receivedMessages(chat, ben), [
    ['Notification Bot', `${who} subscribed you to these channels:\n\n* #**design**\n* #**sales**`],
  ])
  assert.deepEqual(await receivedMessages(chat, cleo), [
    ['Notification Bot', `${who} subscribed you to the channel #**sales**.`],
  ])
  assert.deepEqual(await receivedMessages(chat, ada), [])
})

test('no messages are sent about new channels or to bots', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bot = await chat.user('gizmo', { botType: BotType.generic, owner: ada })
  await chat.channel('design', [ada])

  await join(ada, ['fresh'], [ben])
  await join(ada, ['design'], [bot])

  assert.deepEqual(await receivedMessages(chat, ben), [])
  assert.deepEqual(await receivedMessages(chat, bot), [])
})
