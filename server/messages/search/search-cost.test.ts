import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { onPostgres } from '../../../test/database.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'

const skip = onPostgres && 'reads plans of SQLite'

/** Returns the query plans of the statements of `work` that read the full-text index, as lists of steps. */
async function plansOf(work: () => Promise<unknown>): Promise<string[][]> {
  const { prepare } = DatabaseSync.prototype
  const plans: string[][] = []
  DatabaseSync.prototype.prepare = function (text) {
    if (text.startsWith('select') && text.includes('"messageWords"')) {
      const steps = prepare.call(this, `explain query plan ${text}`).all()
      plans.push(steps.map(({ detail }) => String(detail)))
    }
    return prepare.call(this, text)
  }
  try {
    await work()
  } finally {
    DatabaseSync.prototype.prepare = prepare
  }
  return plans
}

/** Returns the steps of the query plans in which the statements of `work` read the full-text index. */
async function readsOfIndex(work: () => Promise<unknown>): Promise<string[]> {
  const steps = (await plansOf(work)).flat()
  return steps.filter((step) => step.includes('messageWords') || step.includes('ORDER BY'))
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

test('a search looks up whether the reader received a match before it reads the message', { skip }, async () => {
  const { ada } = await startTalk()

  const plans = await plansOf(() =>
    ada.succeed('GET /messages', { anchor: 'newest', num_before: 5, num_after: 0, narrow: [['search', 'deploy']] }),
  )

  const following = plans.map((steps) => steps[steps.findIndex((step) => step.startsWith('SCAN messageWords')) + 1])
  assert.ok(following.length > 0)
  for (const step of following) assert.match(step ?? '', /^SEARCH userMessages /)
})

test('given messages are matched with a word by looking each up in the index', { skip }, async () => {
  const { ada } = await startTalk()

  const reads = await readsOfIndex(() =>
    ada.succeed('GET /messages/matches_narrow', { msg_ids: [1], narrow: [{ operator: 'search', operand: 'deploy' }] }),
  )

  assert.ok(reads.length > 0)
  for (const read of reads) assert.match(read, SINGLE)
})
