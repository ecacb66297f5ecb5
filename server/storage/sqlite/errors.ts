import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { READ_ONLY_SERVICE } from '#lib/errors.ts'
import { accountName } from '#lib/process.ts'
import { CannotOpenStorage, DatabaseUnavailable } from '../storage.ts'

// Primary result codes. The low byte of an extended code is its primary code.
const NO_PERMISSION = 3
const BUSY = 5
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26

/** Errors of the file or the disk, rather than of the statement. */
const FAULTS_OF_FILES = new Map([
  [NO_PERMISSION, 'this account may not open it'],
  [BUSY, 'another process keeps it locked'],
  [READ_ONLY, 'this account may not write to it'],
  [IO_ERROR, 'the disk failed, or is full'],
  [
    CORRUPT,
    'it is damaged, or was copied only in part. Copy it again while its server is stopped, or restore the newest backup',
  ],
  [FULL, 'the disk is full'],
  [CANNOT_OPEN, 'the file or its folder does not exist, or this account may not write to it'],
  [NOT_A_DATABASE, 'it is not a SQLite database'],
])

/** The faults that may go without the operator. A full disk has several of them. */
const TEMPORARY: readonly unknown[] = [BUSY, IO_ERROR, FULL, CANNOT_OPEN, 'EIO', 'ENOSPC', 'EDQUOT']

/** Returns the primary result code of a SQLite error; null for any other error. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return error.errcode & 0xff
}

/** Returns whether another connection holds the required lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY
}

/**
 * Returns whether the error leaves the state on disk unknown. A full disk does not, because SQLite rolls back cleanly.
 */
export function isFatal(error: unknown): boolean {
  const code = primaryCode(error)
  return code === IO_ERROR || code === CORRUPT || code === NOT_A_DATABASE
}

/**
 * Returns whether opening a file may have failed because there is no room for the files that SQLite keeps beside it.
 */
export function mayLackSpace(error: unknown): boolean {
  const code = primaryCode(error)
  return code === FULL || code === IO_ERROR || code === CANNOT_OPEN
}

/** Returns whether the operating system reported the error directly, rather than through SQLite. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Returns the code of the error with which the nearest folder that exists refuses changes; null if it does not. */
function whyNotWritable(path: string): string | null {
  let folder = path
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? null
  }
}

function explainSystemError({ code, syscall, path, message }: NodeJS.ErrnoException): string {
  if (path === undefined) return message
  if (syscall === 'mkdir') {
    const reason = whyNotWritable(path) ?? code
    return `the folder ${path} cannot be created (${reason}). ${
      reason === 'EROFS' ? READ_ONLY_SERVICE : 'Check DATA_DIR, and who may write there'
    }`
  }
  const account = accountName(process.getuid?.() ?? 0)
  return code === 'EACCES'
    ? `the account ${account} may not use ${path}. Run: chown -R ${account} ${dirname(path)}`
    : message
}

/** Returns whether the disk is full. The statement, or the whole transaction, has been rolled back. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL
}

/**
 * Returns the error to throw for the failed action `failure`, with a readable reason if the file or the disk is the
 * cause.
 */
export function explainFault(failure: string, error: unknown): unknown {
  const fault = isSystemError(error) ? explainSystemError(error) : FAULTS_OF_FILES.get(primaryCode(error) ?? 0)
  if (fault === undefined) return error
  const isTemporary = TEMPORARY.includes(isSystemError(error) ? error.code : primaryCode(error))
  return new CannotOpenStorage(`${failure}: ${fault}.`, { isTemporary, cause: error })
}

/**
 * The interval in milliseconds and the number of attempts to begin while another process holds the lock: ten seconds in
 * all.
 */
const BEGIN_INTERVAL = 20
const BEGIN_ATTEMPTS = 400

/** Returns the error for the members. They did nothing wrong and may be tried again. */
export const endedByItself = () => new DatabaseUnavailable('SQLite ended the transaction by itself')

/**
 * Returns the error for statements after the database was closed. The database counts as unavailable, because the
 * statements wrote nothing.
 */
export const databaseClosed = () => new DatabaseUnavailable('The database is closed')

/** Retries without blocking while another process holds the lock. */
export async function retryWhileBusy(attempt: () => void): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (attempts === BEGIN_ATTEMPTS)
        throw new DatabaseUnavailable('Another process holds the database', { cause: error })
      await sleep(BEGIN_INTERVAL)
    }
  }
}
