import { AsyncLocalStorage } from 'node:async_hooks'
import { StatementSync } from 'node:sqlite'

/**
 * Returns the number of statements that SQLite runs for this process during `work`, without BEGIN, COMMIT and similar.
 */
export function countStatements(work: () => Promise<unknown>): Promise<number> {
  return countCalls(work, () => true)
}

const own = new AsyncLocalStorage<object>()

/** Like `countStatements`, without the statements of jobs that earlier work has started. */
export function countOwnStatements(work: () => Promise<unknown>): Promise<number> {
  const marker = {}
  return countCalls(
    () => own.run(marker, work),
    () => own.getStore() === marker,
  )
}

async function countCalls(work: () => Promise<unknown>, counts: () => boolean): Promise<number> {
  const { all, run } = StatementSync.prototype
  let count = 0
  StatementSync.prototype.all = function (...values) {
    if (counts()) count++
    return all.apply(this, values as never)
  }
  StatementSync.prototype.run = function (...values) {
    if (counts()) count++
    return run.apply(this, values as never)
  }
  try {
    await work()
  } finally {
    Object.assign(StatementSync.prototype, { all, run })
  }
  return count
}
