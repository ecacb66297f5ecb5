import assert from 'node:assert/strict'
import test from 'node:test'
import { batches } from '#storage/sql.ts'
import { startChat } from '../../test/harness.ts'
import { sendToChannel } from '../../test/messages.ts'

test('a user can add at most 100 reactions to a message', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben]))
  const rows = Array.from({ length: 99 }, (_, index) => ({
    messageId: id,
    userId: ada.id,
    emojiName: `emoji${index}`,
    emojiCode: index.toString(16),
    reactionType: 'unicode_emoji',
  }))
  await chat.app.services.transaction((tx) => tx.insertInto('reactions').values(rows).execute())

  const last = await ada.call(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  const further = await ada.call(`POST /messages/${id}/reactions`, { emoji_name: 'heart' })
  const byOther = await ben.call(`POST /messages/${id}/reactions`, { emoji_name: 'heart' })

  const msg = 'This message cannot have more reactions. The limit is 5000 reactions per message, and 100 per person.'
  assert.deepEqual([last.status, further.status, further.msg, byOther.status], [200, 400, msg, 200])
})

test('a message has at most 5,000 reactions', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]))
  const people = await Promise.all(Array.from({ length: 50 }, (_, index) => chat.user(`user${index}`)))
  const rows = people.flatMap(({ id: userId }) =>
    Array.from({ length: 100 }, (_, index) => {
      const emoji = { emojiName: `emoji${index}`, emojiCode: index.toString(16), reactionType: 'unicode_emoji' }
      return { messageId: id, userId, ...emoji }
    }),
  )
  await chat.app.services.transaction(async (tx) => {
    for (const batch of batches(rows.slice(1), 500)) await tx.insertInto('reactions').values(batch).execute()
  })

  const last = await ada.call(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  const further = await ada.call(`POST /messages/${id}/reactions`, { emoji_name: 'heart' })

  assert.deepEqual([last.status, further.status], [200, 400])
})
