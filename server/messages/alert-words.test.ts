import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { fetchMessage, followsNothing, sendDirect, sendToChannel } from '../../test/messages.ts'

const addAlertWords = (person: Person, ...words: string[]) =>
  person.succeed('POST /users/me/alert_words', { alert_words: words })

async function startDesign() {
  const chat = await startChat()
  const settings = followsNothing
  const [ada, ben] = [await chat.user('ada', { settings }), await chat.user('ben', { settings })]
  const design = await chat.channel('design', [ada, ben])
  return { chat, ada, ben, design }
}

async function findAlertedIds(person: Person): Promise<number[]> {
  const narrow = [{ operator: 'is', operand: 'alerted' }]
  const page = await person.succeed('GET /messages', { anchor: 'newest', num_before: 100, num_after: 0, narrow })
  return page['messages'].map((message: { id: number }) => message.id)
}

/** Returns the flags of the last event of this type. */
async function lastFlags(chat: Chat, person: Person, type: string): Promise<unknown> {
  return (await chat.eventsOf(person)).findLast((event) => event.type === type)?.['flags']
}

test('a message with an alert word is flagged for the users with that word and can be found by the flag', async () => {
  const { chat, ada, ben, design } = await startDesign()
  await addAlertWords(ben, 'Green Tea', 'milk')

  const tea = await sendToChannel(ada, design, 'more **green tea**!')
  const flags = await lastFlags(chat, ben, 'message')
  const milk = await sendDirect(ada, [ben], '`milk`')
  await sendToChannel(ada, design, 'greenteas and milkmen')

  assert.deepEqual(flags, ['has_alert_word'])
  assert.deepEqual(await lastFlags(chat, ada, 'message'), [])
  assert.deepEqual((await fetchMessage(ben, tea)).flags, ['has_alert_word'])
  assert.deepEqual(await findAlertedIds(ben), [tea, milk])
  assert.deepEqual(await findAlertedIds(ada), [])
})

test('adding and removing alert words affects later messages only', async () => {
  const { ada, ben, design } = await startDesign()
  const before = await sendToChannel(ada, design, 'tea')
  await addAlertWords(ben, 'tea')
  const during = await sendToChannel(ada, design, 'tea')
  await ben.succeed('DELETE /users/me/alert_words', { alert_words: ['Tea'] })
  const after = await sendToChannel(ada, design, 'tea')

  assert.deepEqual(await findAlertedIds(ben), [during])
  assert.deepEqual((await fetchMessage(ben, before)).flags, [])
  assert.deepEqual((await fetchMessage(ben, after)).flags, [])
})

test('an edit updates the alert word flags and keeps all other flags', async () => {
  const { chat, ada, ben, design } = await startDesign()
  await addAlertWords(ben, 'tea')
  const [gains, loses] = [await sendToChannel(ada, design, 'coffee'), await sendToChannel(ada, design, 'tea')]
  await ben.succeed('POST /messages/flags', { messages: [gains], op: 'add', flag: 'starred' })

  await ada.succeed(`PATCH /messages/${loses}`, { content: 'coffee' })
  const lost = await lastFlags(chat, ben, 'update_message')
  await ada.succeed(`PATCH /messages/${gains}`, { content: 'tea @**Ben**' })

  assert.deepEqual(lost, [])
  assert.deepEqual(await lastFlags(chat, ben, 'update_message'), ['starred', 'mentioned', 'has_alert_word'])
  assert.deepEqual(await findAlertedIds(ben), [gains])
})

test('notices from the server trigger alert words, but alert words of other organizations never match', async () => {
  const { chat, ada, ben, design } = await startDesign()
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await addAlertWords(eve, 'tea')
  await addAlertWords(ben, 'resolved')
  const tea = await sendToChannel(ada, design, 'tea')

  await ada.succeed(`PATCH /messages/${tea}`, { topic: '✔ tea', propagate_mode: 'change_all' })

  // The notice is marked as read for users who did not participate in the topic.
  assert.deepEqual(await lastFlags(chat, ben, 'message'), ['read', 'has_alert_word'])
  assert.deepEqual(await findAlertedIds(eve), [])
})

test('a queue narrowed to alert words gets no other messages', async () => {
  const { ada, ben, design } = await startDesign()
  await addAlertWords(ben, 'tea')
  const { queue_id } = await ben.succeed('POST /register', { event_types: ['message'], narrow: [['is', 'alerted']] })

  await sendToChannel(ada, design, 'coffee')
  const tea = await sendToChannel(ada, design, 'tea')

  const { events } = await ben.succeed('GET /events', { queue_id, last_event_id: -1, dont_block: true })
  assert.deepEqual(
    events.map((event: { message: { id: number } }) => event.message.id),
    [tea],
  )
})
