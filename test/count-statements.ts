import { StatementSync } from 'node:sqlite'

/**
 * Returns the number of statements that SQLite runs for this process during `work`, without BEGIN, COMMIT and similar.
 */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const { all, run } = StatementSync.prototype
  let count = 0
  StatementSync.prototype.all = function (...values) {
    count++
    return all.apply(this, values as never)
  }
  StatementSync.prototype.run = function (...values) {
    count++
    return run.apply(this, values as never)
  }
  try {
    await work()
  } finally {
    Object.assign(StatementSync.prototype, { all, run })
  }
  return count
}
