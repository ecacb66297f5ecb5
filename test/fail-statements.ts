import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { StatementSync } from 'node:sqlite'
import { CompiledQuery } from 'kysely'
import { onPostgres } from './database.ts'
import type { Chat } from './harness.ts'

/** The reason to skip tests that fail statements; false if they run. */
export const cannotFail: string | false = onPostgres && 'statements are failed on SQLite'

/** Statements on rows, rather than those that begin or end a transaction. */
const ON_ROWS = /^\s*(select|insert|update|delete|with)\b/i

/** Tables that a job may write after the operation. A statement of the job may fail, too. */
const WRITTEN_BY_JOBS = ['mails', 'mailAttempts', 'sqlite_sequence']

/** An operation of a test, with the server on which it is performed. */
export type Operation = { chat: Chat; perform: () => Promise<{ status: number }> }

/** The number of statements until one fails, in the current operation. */
const countdown = new AsyncLocalStorage<{ left: number }>()

/**
 * Performs an operation again and again: at first its first statement fails, then its second, and so on, until none
 * does. If the operation fails, everything in the database must be as before. If it succeeds, because a statement of a
 * job failed, there must be as many rows as without any failure.
 */
export async function failEachStatement(prepare: () => Promise<Operation>): Promise<void> {
  const undisturbed = await prepare()
  assert.ok((await undisturbed.perform()).status < 400)
  const complete = countRows(await findRows(undisturbed.chat))

  using _ = failingStatements()
  let { chat, perform } = await prepare()
  let before = await findRows(chat)
  for (let number = 1; ; number += 1) {
    const operation = { left: number }
    const { status } = await countdown.run(operation, perform)
    const rows = await findRows(chat)
    if (status === 500) assert.deepEqual(rows, before, `when statement ${number} fails`)
    else {
      assert.deepEqual(countRows(rows), complete, `status ${status} when statement ${number} fails`)
      if (operation.left > 0) return assert.ok(number > 5, `the operation ran ${number - 1} statements`)
      ;({ chat, perform } = await prepare())
      before = await findRows(chat)
    }
  }
}

/** Lets a statement fail when the countdown of its operation is over. */
function failingStatements(): Disposable {
  const { all, run } = StatementSync.prototype
  const count = ({ sourceSQL }: StatementSync) => {
    const operation = countdown.getStore()
    if (operation === undefined || !ON_ROWS.test(sourceSQL)) return
    operation.left -= 1
    if (operation.left === 0) throw new Error(`A test lets this statement fail: ${sourceSQL}`)
  }
  StatementSync.prototype.all = function (...values) {
    count(this)
    return all.apply(this, values as never)
  }
  StatementSync.prototype.run = function (...values) {
    count(this)
    return run.apply(this, values as never)
  }
  return { [Symbol.dispose]: () => void Object.assign(StatementSync.prototype, { all, run }) }
}

type Rows = Readonly<Record<string, readonly unknown[]>>

/** Returns everything in the database by table, except for the search index, which is written later. */
async function findRows({ app }: Chat): Promise<Rows> {
  const read = async <Row>(sql: string) => (await app.services.db.executeQuery<Row>(CompiledQuery.raw(sql))).rows
  const tables = await read<{ name: string }>(
    `select name from sqlite_schema where type = 'table' and name not like 'messageWords%'`,
  )
  const rows: Record<string, unknown[]> = {}
  for (const { name } of tables) rows[name] = await read(`select * from "${name}"`)
  return rows
}

const countRows = (rows: Rows): [table: string, count: number][] =>
  Object.entries(rows)
    .filter(([table]) => !WRITTEN_BY_JOBS.includes(table))
    .map(([table, { length }]) => [table, length])
