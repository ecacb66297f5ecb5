import assert from 'node:assert/strict'
import { test } from 'node:test'
import { viewerOf } from '#groups/viewer.ts'
import { findUser } from '#people/user-queries.ts'
import type { Db } from '#storage/storage.ts'
import { countRows } from '../../../test/count-rows.ts'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Person, START, startChat } from '../../../test/harness.ts'
import { sendToChannel } from '../../../test/messages.ts'
import { readNarrow } from './filter.ts'
import { findPage, NEWEST } from './find-page.ts'

const DAY = 86_400

/** Starts an organization with two messages a day for forty days. Another organization has messages in between. */
async function startWithDays() {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const realm = await chat.organization('other')
  const zoe = await chat.user('zoe', { realm })
  const there = await chat.channel('there', [zoe], { realm })
  const ids: number[] = []
  for (let day = 0; day < 40; day++) {
    for (let number = 0; number < 2; number++) ids.push(await sendToChannel(ada, design, `day ${day}`))
    await sendToChannel(zoe, there, `day ${day}`)
    await chat.clock.advance(DAY)
  }
  return { chat, ada, ids }
}

async function findIds(db: Db, { id, realm }: Person, operator: string, operand: number, anchor = NEWEST) {
  const user = await findUser(db, id)
  assert.ok(user)
  const filter = await readNarrow(viewerOf(db, { ...user, realm }, START), [{ operator, operand, negated: false }])
  const range = { anchor, before: anchor === NEWEST ? 3 : 0, after: anchor === NEWEST ? 0 : 3, includesAnchor: true }
  const { rows } = await findPage(db, filter, range, (found) =>
    db.selectFrom('messages').select('id').where('id', 'in', found).execute(),
  )
  return rows.map((row) => row.id)
}

test('messages around a day are found without examining those of other times', async () => {
  const { chat, ada, ids } = await startWithDays()
  const found: number[][] = []
  const examine = (operator: string, operand: number, anchor?: number) =>
    countRows(chat, 'messages', async (db) => {
      found.push(await findIds(db, ada, operator, operand, anchor))
    })

  const counts = [
    await examine('before', START + 3 * DAY),
    await examine('after', START + 37 * DAY, 0),
    await examine('after', START + 50 * DAY),
  ]

  assert.deepEqual(found, [ids.slice(3, 6), ids.slice(74, 77), []])
  for (const count of counts) assert.ok(count < 40, `${counts} rows`)
})

test('messages are found at every time, even if a clock was wrong by some hours', async () => {
  const { chat, ada, ids } = await startWithDays()
  const { db, transaction } = chat.app.services
  const late = ids[20] ?? 0
  await transaction((tx) =>
    tx
      .updateTable('messages')
      .set({ sentAt: START + 9.5 * DAY })
      .where('id', '=', late)
      .execute(),
  )

  assert.deepEqual(await findIds(db, ada, 'before', START + 9.7 * DAY), [...ids.slice(18, 20), late])
  for (const day of [0, 1, 25, 40]) {
    const before = ids.slice(0, 2 * day).slice(-3)
    const after = ids.slice(2 * day).slice(0, 3)
    assert.deepEqual(await findIds(db, ada, 'before', START + day * DAY), before, `before ${day}`)
    assert.deepEqual(await findIds(db, ada, 'after', START + day * DAY, 0), after, `after ${day}`)
  }
})

const skip = onPostgres && 'statements are counted on SQLite'

test('many times in one narrow cost no more lookups than the latest and the earliest one', { skip }, async () => {
  const { ada, ids } = await startWithDays()
  const times = Array.from({ length: 24 }, (_, day) => [
    { operator: 'after', operand: START + day * DAY, negated: false },
    { operator: 'before', operand: START + (38 - day / 2) * DAY, negated: false },
  ]).flat()
  const range = { anchor: 'newest', num_before: 100, num_after: 0 }
  const found: number[][] = []
  const search = (narrow: object) =>
    countStatements(async () => {
      const { messages } = await ada.succeed('GET /messages', { ...range, narrow })
      found.push(messages.map(({ id }: { id: number }) => id))
    })

  const two = await search(times.slice(-2))
  const all = await search(times)
  const withNegated = await search([...times, { operator: 'after', operand: START + 25 * DAY, negated: true }])

  assert.deepEqual(found, [ids.slice(46, 54), ids.slice(46, 54), ids.slice(46, 50)])
  assert.ok(all <= two, `${all} statements instead of ${two}`)
  assert.ok(withNegated <= two, `${withNegated} statements instead of ${two}`)
})

test('an invalid time is refused, even if another term implies it', async () => {
  const { ada } = await startWithDays()
  const narrow = [
    ['after', '2030-01-01'],
    ['after', 'someday'],
  ]

  const { status, desc } = await ada.call('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow })

  assert.deepEqual([status, desc], [400, "unknown 'after' operand someday"])
})
