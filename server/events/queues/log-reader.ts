import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'

/** Seconds after which a log that could not be read is looked into again. */
const RETRY_DELAY = 1

/** Reads on in the log of an organization. */
export type LogReader = {
  /** Resolves when everything that was committed before the call has been read, or could not be. */
  run(): Promise<void>
  /** While it reads; null when the last look found nothing new. */
  readonly running: Promise<void> | null
  /** What could not be read is left to the next call. */
  stop(): void
}

type Options = {
  clock: Clock
  log: Log
  realmId: number
  /** Looks once for what is new. */
  look: () => Promise<void>
}

/** Where reading fails it is tried again until it does not: whoever waits would be told of nothing until something else happens. */
export function openLogReader({ clock, log, realmId, look }: Options): LogReader {
  let running: Promise<void> | null = null
  let hasNews = false
  let isFailing = false
  let isStopped = false
  let cancelRetry = () => {}

  async function readOn(): Promise<void> {
    cancelRetry()
    try {
      while (hasNews) {
        hasNews = false
        await look()
      }
      noteSuccess()
    } catch (error) {
      noteFailure(error)
    } finally {
      // At once when the last look found nothing new: whoever comes now must begin another.
      running = null
    }
  }

  function noteSuccess(): void {
    if (isFailing) log.warn({ realmId }, 'The event log is read again')
    isFailing = false
  }

  function noteFailure(error: unknown): void {
    if (!isFailing) log.error({ err: error, realmId }, 'The event log could not be read, and is tried until it can')
    isFailing = true
    if (!isStopped) cancelRetry = clock.schedule(clock.now() + RETRY_DELAY, run)
  }

  function run(): Promise<void> {
    hasNews = true
    running ??= readOn()
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
