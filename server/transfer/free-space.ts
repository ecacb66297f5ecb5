import { stat } from 'node:fs/promises'
import { isPostgresUrl } from '#config.ts'
import type { Clock } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import { findSpaceUsed } from '#messages/attachments.ts'
import type { FileStore } from '#storage/files.ts'
import type { Db } from '#storage/storage.ts'

// Watches exports: none begins or goes on if the disk would lack space for the server itself, and none runs for
// longer than the time limit.

export const tooLittleSpace = refusal(
  'BAD_REQUEST',
  400,
  'The server does not have enough free disk space for an export. Ask its operator to free some.',
)

/** The free bytes that must remain for the server itself. */
const RESERVE = 256 * 1024 ** 2

/** Refuses if the disk has no room for a copy of the database, copies of the files, and the archive. */
export async function requireFreeSpace(db: Db, files: FileStore, realmId: number): Promise<void> {
  const free = await files.findFreeSpace()
  if (free === null) return
  const needed = 3 * (await findSpaceUsed(db, realmId)) + 2 * (await databaseSize(db.settings.DATABASE_URL)) + RESERVE
  if (free < needed) throw tooLittleSpace()
}

/** Returns the size of a SQLite file in bytes, and 0 for other databases, which are not copied. */
async function databaseSize(url: string): Promise<number> {
  if (isPostgresUrl(url) || url === 'memory') return 0
  return (await stat(url)).size
}

/** The time limit of an export in seconds. Within the size limits, an export takes less time even on a slow disk. */
export const TIME_LIMIT = 3 * 3600

/** Seconds between two checks of the free space. */
export const CHECK_INTERVAL = 2

type ExportWatch = Disposable & {
  /** Aborts the export, with the reason. */
  readonly signal: AbortSignal
}

/**
 * Stops an export that exceeds the time limit, that leaves too little space on the disk for the server, or whose free
 * space can't be read twice in a row.
 */
export function watchExport({ clock, files, log }: { clock: Clock; files: FileStore; log: Log }): ExportWatch {
  const stop = new AbortController()
  let isOver = false
  let cancelCheck = () => {}
  const cancelLimit = clock.schedule(clock.now() + TIME_LIMIT, () =>
    stop.abort(new Error(`The export was not complete after ${TIME_LIMIT / 3600} hours`)),
  )

  async function check(hasFailed: boolean): Promise<void> {
    try {
      const free = await files.findFreeSpace()
      if (free === null || isOver) return
      if (free < RESERVE) stop.abort(new Error('The disk has too little free space to continue the export'))
      else checkLater(false)
    } catch (error) {
      if (isOver) return
      if (hasFailed) return stop.abort(error)
      log.warn({ err: error }, 'Failed to read the free disk space during an export')
      checkLater(true)
    }
  }

  function checkLater(hasFailed: boolean): void {
    cancelCheck = clock.schedule(clock.now() + CHECK_INTERVAL, () => void check(hasFailed))
  }

  void check(false)
  return {
    signal: stop.signal,
    [Symbol.dispose]() {
      isOver = true
      cancelLimit()
      cancelCheck()
    },
  }
}
