import { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type { Chat } from '../harness.ts'

/** The statements that replace those of a transaction while it is part of another one. */
const REPLACED: Readonly<Record<string, string>> = {
  'begin immediate': 'savepoint undone',
  commit: 'release undone',
}

/**
 * Returns a function that runs calls of a server on SQLite, and undoes what they have written: it opens a transaction
 * around them, in which those of the server are savepoints. All calls see the same data, and none waits for a new
 * server.
 */
export async function openUndo(chat: Chat): Promise<<Result>(work: () => Promise<Result>) => Promise<Result>> {
  const { db } = chat.app.services
  const { run } = StatementSync.prototype
  const { exec } = DatabaseSync.prototype
  const prepared = new Map<string, StatementSync>()
  let isUndoing = false
  let open = 0

  StatementSync.prototype.run = function (...values) {
    const replacement = isUndoing ? prepared.get(REPLACED[this.sourceSQL] ?? '') : undefined
    if (replacement === undefined) {
      prepared.set(this.sourceSQL, this)
      return run.apply(this, values as never)
    }
    open += this.sourceSQL === 'commit' ? -1 : 1
    return run.apply(replacement)
  }
  DatabaseSync.prototype.exec = function (sql) {
    if (!isUndoing || sql !== 'rollback') return exec.call(this, sql)
    open -= 1
    return exec.call(this, 'rollback to undone; release undone')
  }
  const execute = (sql: string) => db.executeQuery(CompiledQuery.raw(sql))
  const untilQuiet = async () => {
    await chat.app.jobs.webhooks.settled()
    do await turn()
    while (open > 0)
  }
  for (const sql of ['begin', ...Object.values(REPLACED), 'rollback']) await execute(sql)

  return async (work) => {
    await untilQuiet()
    await execute('begin')
    isUndoing = true
    try {
      return await work()
    } finally {
      await untilQuiet()
      isUndoing = false
      await execute('rollback')
      // Cached values may be those of the undone calls.
      db.commitCounters.outsideCommits += 1
    }
  }
}
