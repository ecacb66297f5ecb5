import assert from 'node:assert/strict'
import test from 'node:test'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

const skip = onPostgres && 'statements are counted on SQLite'

test("fetching a cached message queries only the user's flags", { skip }, async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const [plain, direct] = [await sendToChannel(ada, design), await sendDirect(ada, [ben])]
  const rich = await sendToChannel(ada, design)
  await ben.succeed(`POST /messages/${rich}/reactions`, { emoji_name: 'tada' })
  await ada.succeed('POST /submessage', { message_id: rich, msg_type: 'widget', content: '{}' })
  for (const id of [plain, direct, rich]) await fetchMessage(ben, id)

  const counts: number[] = []
  for (const id of [plain, direct, rich]) counts.push(await countStatements(() => fetchMessage(ben, id)))

  assert.deepEqual(counts, [1, 1, 1])
})
