// Primary result codes; the low byte of an extended code is its primary one.
const BUSY = 5
const IO_ERROR = 10
const CORRUPT = 11
const NOT_A_DATABASE = 26

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

export function isNotADatabase(error: unknown): boolean {
  return primaryCode(error) === NOT_A_DATABASE
}
