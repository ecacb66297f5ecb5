import assert from 'node:assert/strict'
import test from 'node:test'
import { startChat } from '../../test/harness.ts'

const draft = (content: string) => ({ type: '', to: [], topic: '', content })

const tooMany = (things: string) =>
  `You can save at most 1000 ${things} with 2000000 bytes in total. Delete some of them first.`

test('a user can save at most 1,000 drafts', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { ids } = await ada.succeed('POST /drafts', { drafts: Array(1000).fill(draft('hello')) })

  const another = await ada.call('POST /drafts', { drafts: [draft('hello')] })
  await ada.succeed(`DELETE /drafts/${ids[0]}`)
  const instead = await ada.call('POST /drafts', { drafts: [draft('hello')] })

  assert.deepEqual([another.status, another.msg, instead.status], [400, tooMany('drafts'), 200])
  assert.equal((await ada.succeed('GET /drafts'))['count'], 1000)
})

test('the drafts of a user can have at most 2,000,000 bytes in total', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const many = { drafts: Array(99).fill(draft('x'.repeat(10_000))) }
  const { ids } = await ada.succeed('POST /drafts', many)
  await ada.succeed('POST /drafts', many)

  const another = await ada.call('POST /drafts', many)
  const longer = await ada.call(`PATCH /drafts/${ids[0]}`, { draft: draft('\u{1f44d}'.repeat(10_000)) })

  assert.deepEqual([another.status, another.msg], [400, tooMany('drafts')])
  assert.deepEqual([longer.status, longer.msg], [400, tooMany('drafts')])
})

test('a user above the limits can still change entries without making them longer', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const snippet = { userId: ada.id, title: 'greeting', content: 'hello', createdAt: 0 }
  const row = { userId: ada.id, type: '', recipientIds: '[]', topic: '', content: 'hello', editedAt: 0 }
  await chat.app.services.transaction(async (tx) => {
    await tx.insertInto('drafts').values(Array(1001).fill(row)).execute()
    await tx.insertInto('savedSnippets').values(Array(1001).fill(snippet)).execute()
  })
  const { drafts } = await ada.succeed('GET /drafts')
  const { saved_snippets } = await ada.succeed('GET /saved_snippets')

  const responses = [
    await ada.call(`PATCH /drafts/${drafts[0].id}`, { draft: draft('hullo') }),
    await ada.call(`PATCH /drafts/${drafts[0].id}`, { draft: draft('hello, hello') }),
    await ada.call(`PATCH /saved_snippets/${saved_snippets[0].id}`, { title: 'salutation' }),
    await ada.call(`PATCH /saved_snippets/${saved_snippets[0].id}`, { content: 'hello, hello' }),
  ]

  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 400, 200, 400],
  )
})

test('a user can save at most 1,000 snippets', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const row = { userId: ada.id, title: 'greeting', content: 'hello', createdAt: 0 }
  await chat.app.services.transaction((tx) => tx.insertInto('savedSnippets').values(Array(999).fill(row)).execute())

  const last = await ada.call('POST /saved_snippets', { title: 'greeting', content: 'hello' })
  const another = await ada.call('POST /saved_snippets', { title: 'greeting', content: 'hello' })

  assert.deepEqual([last.status, another.status, another.msg], [200, 400, tooMany('saved snippets')])
})

test('the scheduled messages of a user can have at most 2,000,000 bytes in total', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const schedule = { type: 'direct', to: [ada.id], scheduled_delivery_timestamp: Math.floor(chat.clock.now()) + 3600 }
  for (let turn = 0; turn < 4; turn += 1)
    await ada.succeed('POST /scheduled_messages', { ...schedule, content: '👍'.repeat(5000) })

  const another = await ada.call('POST /scheduled_messages', { ...schedule, content: '👍'.repeat(5000) })

  assert.deepEqual([another.status, another.msg], [400, tooMany('scheduled messages')])
})

test('scheduled messages and reminders cannot grow beyond the limits, but get another time', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const later = { scheduled_delivery_timestamp: Math.floor(chat.clock.now()) + 3600 }
  const scheduled = { type: 'direct', to: [ada.id], content: 'x', ...later }
  const { scheduled_message_id: longId } = await ada.succeed('POST /scheduled_messages', scheduled)
  const { scheduled_message_id } = await ada.succeed('POST /scheduled_messages', scheduled)
  const { id: message_id } = await ada.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'x' })
  const { reminder_id } = await ada.succeed('POST /reminders', { message_id, note: 'x', ...later })
  const renderedContent = 'x'.repeat(2_000_000)
  await chat.app.services.transaction((tx) =>
    tx.updateTable('scheduledMessages').set({ renderedContent }).where('id', '=', longId).execute(),
  )

  const responses = [
    await ada.call(`PATCH /scheduled_messages/${scheduled_message_id}`, { content: 'xx' }),
    await ada.call(`PATCH /scheduled_messages/${scheduled_message_id}`, later),
    await ada.call(`PATCH /reminders/${reminder_id}`, { note: 'xx' }),
    await ada.call(`PATCH /reminders/${reminder_id}`, later),
  ]

  const refused = tooMany('scheduled messages')
  assert.deepEqual(
    responses.map(({ msg }) => msg),
    [refused, '', refused, ''],
  )
})
