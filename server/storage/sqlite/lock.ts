import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotOpenStorage } from '../storage.ts'
import { isBusy, isFull } from './errors.ts'

/** Milliseconds between attempts. */
const INTERVAL = 50

/** The number of attempts before the lock counts as taken. Commands that migrate hold the lock only briefly. */
const ATTEMPTS = 10

/** The number of attempts of commands, which wait while a server migrates: three seconds in all. */
const ATTEMPTS_TO_MIGRATE = 60

export type SqliteLock = {
  /** May be called repeatedly. */
  release(): void
}

/**
 * Takes the lock that only one process can hold on the database at `path`. The lock is an open transaction on a
 * separate file, `<path>.lock`, so the operating system releases it in any case when the process ends. The file remains
 * and has no meaning.
 *
 * A command passes `isNeeded`, which tells whether it still has to migrate: it waits while another process migrates, and
 * gets null when that is done.
 */
export async function takeSqliteLock(path: string): Promise<SqliteLock>
export async function takeSqliteLock(path: string, isNeeded: () => Promise<boolean>): Promise<SqliteLock | null>
export async function takeSqliteLock(path: string, isNeeded?: () => Promise<boolean>): Promise<SqliteLock | null> {
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  const release = () => {
    if (database.isOpen) database.close()
  }
  try {
    for (let attempts = 1; ; attempts++) {
      if (holdLock(database)) return { release }
      if (isNeeded !== undefined && !(await isNeeded())) break
      if (attempts === (isNeeded === undefined ? ATTEMPTS : ATTEMPTS_TO_MIGRATE)) {
        const advice = isNeeded === undefined ? 'Stop that process first.' : 'Restart it with this version first.'
        throw heldByAnother(database, path, advice)
      }
      await sleep(INTERVAL)
    }
  } catch (error) {
    release()
    throw error
  }
  release()
  return null
}

/** Begins the transaction that is the lock. Before that, commits this process's id for others to read. */
function holdLock(database: DatabaseSync): boolean {
  try {
    // A full disk has no room for a journal, and none is needed here.
    database.exec('pragma journal_mode = memory')
    // Repeats if another process has stored its own id between the commit and the second `begin`.
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

/** Commits this process's id. On a full disk, the id cannot be written, and the lock is held without it. */
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

/** Returns the process that holds the lock on the database at `path`, such as `process 123`, or nothing. */
export function findLockOwner(path: string): string[] {
  if (!existsSync(`${path}.lock`)) return []
  const database = new DatabaseSync(`${path}.lock`, { timeout: 0 })
  try {
    database.exec('begin immediate; rollback')
    return []
  } catch (error) {
    if (!isBusy(error)) throw error
    return [`process ${lockOwner(database)}`]
  } finally {
    database.close()
  }
}

function lockOwner(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version)
}

function heldByAnother(database: DatabaseSync, path: string, advice: string): CannotOpenStorage {
  const owner = lockOwner(database)
  const server = owner === 0 ? 'another process' : `process ${owner}`
  return new CannotOpenStorage(`The database ${path} is already being served by ${server}. ${advice}`)
}
