import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const skip = onPostgres && 'reads plans of SQLite'

/** Returns the steps of the query plans in which the statements of `work` read the full-text index. */
async function readsOfIndex(work: () => Promise<unknown>): Promise<string[]> {
  const { prepare } = DatabaseSync.prototype
  const reads = new Set<string>()
  DatabaseSync.prototype.prepare = function (text) {
    if (text.startsWith('select') && text.includes('"messageWords"'))
      for (const { detail } of prepare.call(this, `explain query plan ${text}`).all())
        if (String(detail).includes('messageWords') || String(detail).includes('ORDER BY')) reads.add(String(detail))
    return prepare.call(this, text)
  }
  try {
    await work()
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  return [...reads]
}

async function startTalk(): Promise<{ chat: Chat; ada: Person }> {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  await sendToChannel(ada, design, 'deploy the server')
  return { chat, ada }
}

// FTS5 shows the bounds and the order of a scan in the query plan: M for the words, > and < for ranges of ids, = for a
// single id.
const IN_ORDER = /VIRTUAL TABLE INDEX \d+:M1><$/
const SINGLE = /VIRTUAL TABLE INDEX \d+:(?:=M1|M1=)$/

test('a search reads matches from the newest on, and looks up no others', { skip }, async () => {
  const { ada } = await startTalk()
  const search = ['search', 'deploy']
  const narrows = [
    [search],
    [search, ['sender', 'me']],
    [search, ['channels', 'public']],
    [search, ['search', 'server']],
  ]

  const reads = await readsOfIndex(async () => {
    for (const narrow of narrows)
      await ada.succeed('GET /messages', { anchor: 'newest', num_before: 50, num_after: 0, narrow })
  })

  assert.ok(reads.length > 0)
  for (const read of reads) assert.match(read, IN_ORDER)
})

test('given messages are matched with a word by looking each up in the index', { skip }, async () => {
  const { ada } = await startTalk()

  const reads = await readsOfIndex(() =>
    ada.succeed('GET /messages/matches_narrow', { msg_ids: [1], narrow: [{ operator: 'search', operand: 'deploy' }] }),
  )

  assert.ok(reads.length > 0)
  for (const read of reads) assert.match(read, SINGLE)
})
