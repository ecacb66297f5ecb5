import { CannotOpenStorage } from '../engine.ts'

// Primary result codes; the low byte of an extended code is its primary one.
const NO_PERMISSION = 3
const BUSY = 5
const READ_ONLY = 8
const IO_ERROR = 10
const CORRUPT = 11
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26

/** What is wrong with the file or the disk, and not with what was asked. */
const FAULTS_OF_FILES = new Map([
  [NO_PERMISSION, 'this account may not open it'],
  [BUSY, 'another process keeps it locked'],
  [READ_ONLY, 'this account may not write to it'],
  [IO_ERROR, 'the disk failed, or is full'],
  [CORRUPT, 'it is damaged'],
  [FULL, 'the disk is full'],
  [CANNOT_OPEN, 'it, or its folder, is not there, or this account may not write to it'],
  [NOT_A_DATABASE, 'it is not a SQLite database'],
])

/** The primary result code of an error from SQLite; null for any other error. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return error.errcode & 0xff
}

/** Whether another connection holds the lock that was needed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY
}

/** Whether what lies on the disk is unknown from here on. A full disk is not such an error: it rolls back cleanly. */
export function isFatal(error: unknown): boolean {
  const code = primaryCode(error)
  return code === IO_ERROR || code === CORRUPT || code === NOT_A_DATABASE
}

/** Whether opening a file failed because there may be no room for what SQLite keeps beside it. */
export function mayLackSpace(error: unknown): boolean {
  const code = primaryCode(error)
  return code === FULL || code === IO_ERROR || code === CANNOT_OPEN
}

/** Whether the system itself, asked without SQLite, said that a file failed. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** The statement, or the whole transaction, is undone. */
export function isFull(error: unknown): boolean {
  return primaryCode(error) === FULL
}

/** The error to throw when `failure`, which says what could not be done: with the reason in words where a file or the disk is at fault. */
export function explainFault(failure: string, error: unknown): unknown {
  const fault = FAULTS_OF_FILES.get(primaryCode(error) ?? 0)
  return fault === undefined ? error : new CannotOpenStorage(`${failure}: ${fault}.`, { cause: error })
}
