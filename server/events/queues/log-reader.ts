import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'

/** Seconds after which a failed read of the log is repeated. */
const RETRY_DELAY = 1

/** Reads new events of an organization from the log. */
export type LogReader = {
  /**
   * Resolves when everything up to the log id `upTo` has been read, or reading failed. If it is omitted, this is everything
   * that was committed before the call.
   */
  run(upTo?: number): Promise<void>
  /** The running read; null if no read is running. */
  readonly running: Promise<void> | null
  /** Stops the retries. The next `run` reads the events that could not be read. */
  stop(): void
}

type LogReaderOptions = {
  clock: Clock
  log: Log
  realmId: number
  /** Reads the new events once, up to this log id at least. */
  read: (upTo: number) => Promise<void>
}

/**
 * Opens a reader that repeats a failed read until it succeeds. Otherwise, pending polls would wait until another event
 * happens.
 */
export function openLogReader({ clock, log, realmId, read }: LogReaderOptions): LogReader {
  let running: Promise<void> | null = null
  /** The log id up to which events are still to be read; 0 if there are none. */
  let wanted = 0
  let isFailing = false
  let isStopped = false
  let cancelRetry = () => {}

  async function readAll(): Promise<void> {
    cancelRetry()
    try {
      while (wanted > 0) {
        const upTo = wanted
        wanted = 0
        await read(upTo)
      }
      recordSuccess()
    } catch (error) {
      recordFailure(error)
    } finally {
      // `running` is reset in the same turn in which the last read found nothing new. A later call therefore starts
      // another read.
      running = null
    }
  }

  function recordSuccess(): void {
    if (isFailing) log.warn({ realmId }, 'The event log can be read again')
    isFailing = false
  }

  function recordFailure(error: unknown): void {
    if (!isFailing) log.error({ err: error, realmId }, 'The event log could not be read; retrying until it can')
    isFailing = true
    if (!isStopped) cancelRetry = clock.schedule(clock.now() + RETRY_DELAY, () => run())
  }

  function run(upTo = Number.POSITIVE_INFINITY): Promise<void> {
    // The storage may be closed by now.
    if (isStopped) return running ?? Promise.resolve()
    wanted = Math.max(wanted, upTo)
    running ??= readAll()
    return running
  }

  return {
    run,
    get running() {
      return running
    },
    stop() {
      isStopped = true
      cancelRetry()
    },
  }
}
