import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { FileStore } from '#storage/files/files.ts'
import { RESERVE } from './free-space.ts'

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
