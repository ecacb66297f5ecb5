import assert from 'node:assert/strict'
import test from 'node:test'
import { MAX_RESPONSE_BYTES } from '#lib/protocol.ts'
import { type Body, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const idsOf = (page: Body): number[] => page['messages'].map(({ id }: { id: number }) => id)

test('a client that continues from its last message always gets the next one', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const ids = [
    await sendToChannel(ada, design, 'one'),
    await sendToChannel(ada, design, 'two'),
    await sendToChannel(ada, design, 'three'),
  ]
  const entry = { user_id: ada.id, timestamp: 1, prev_content: 'x'.repeat(MAX_RESPONSE_BYTES / 2) }
  // Older versions of the server did not limit histories.
  const editHistory = JSON.stringify([{ ...entry, prev_rendered_content: '' }])
  await chat.app.services.transaction((tx) =>
    tx.updateTable('messages').set({ editHistory }).where('id', 'in', ids).execute(),
  )

  const newer = await ada.succeed('GET /messages', { anchor: ids[0], num_before: 0, num_after: 100 })
  const older = await ada.succeed('GET /messages', { anchor: ids[2], num_before: 100, num_after: 0 })

  assert.deepEqual([idsOf(newer), newer['found_newest']], [ids.slice(0, 2), false])
  assert.deepEqual([idsOf(older), older['found_oldest']], [ids.slice(1), false])
})
