import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotOpenStorage } from '../engine.ts'
import { isBusy, isFull } from './errors.ts'

/** Tries, 50 ms apart, before a lock counts as held: a command that migrates holds it for a moment only. */
const ATTEMPTS = 10

/**
 * Takes the lock that only one process has for the database at `path`. It is an open transaction on a file beside it,
 * `<path>.lock`, so the operating system ends it with the process, however that ends; the file stays, and means nothing.
 * Releasing it twice is no error.
 */
export async function takeSqliteLock(path: string): Promise<{ release(): void }> {
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  // A full disk has no room for a journal, and nothing here needs one.
  database.exec('pragma journal_mode = memory')
  try {
    for (let attempts = 1; ; attempts++) {
      if (holdLock(database)) {
        return {
          release() {
            if (database.isOpen) database.close()
          },
        }
      }
      if (attempts === ATTEMPTS) throw heldByAnother(database, path)
      await sleep(50)
    }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Begins the transaction that is the lock, with this process's id committed before it for others to read. */
function holdLock(database: DatabaseSync): boolean {
  try {
    // Whoever came between the commit and the second `begin` has put its own id there: then once more.
    for (;;) {
      database.exec('begin immediate')
      if (lockOwner(database) === process.pid) return true
      if (!namesOwner(database)) return true
    }
  } catch (error) {
    if (!isBusy(error)) throw error
    if (database.isTransaction) database.exec('rollback')
    return false
  }
}

/** Commits this process's id; on a full disk, where it cannot be written, holds the lock without. */
function namesOwner(database: DatabaseSync): boolean {
  try {
    database.exec(`pragma user_version = ${process.pid}; commit`)
    return true
  } catch (error) {
    if (!isFull(error)) throw error
    if (database.isTransaction) database.exec('rollback')
    database.exec('begin immediate')
    return false
  }
}

function lockOwner(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version)
}

function heldByAnother(database: DatabaseSync, path: string): CannotOpenStorage {
  const owner = lockOwner(database)
  const server = owner === 0 ? 'another process' : `process ${owner}`
  return new CannotOpenStorage(`The database ${path} is already being served by ${server}. Stop that process first.`)
}
