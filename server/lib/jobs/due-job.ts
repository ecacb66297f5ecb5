import type { Log } from '../runtime/log.ts'
import type { Job } from './job.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from './periodic-task.ts'

type DueJobOptions<Item> = Pick<PeriodicTaskOptions, 'clock' | 'isResponsible'> & {
  log: Log
  /** Returns the item with the earliest due time, even if that time is in the future; null if there is no item. */
  findNext: () => Promise<Item | null>
  /** Handles an item that is due. After that, `findNext` must not return the item again. */
  handle: (item: Item) => Promise<unknown>
  /** The log message for a failure. The job then pauses for a minute. */
  failureMessage: string
}

/**
 * Handles items one by one, in order of their due times. The first ones are those that became due while no server was
 * running.
 */
export function openDueJob<Item extends { dueAt: number }>(options: DueJobOptions<Item>): Job {
  const { clock, isResponsible = () => true, log, findNext, handle, failureMessage } = options
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: handleAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, failureMessage),
  })

  async function handleAllDue(): Promise<number | null> {
    while (!isStopped() && isResponsible()) {
      const next = await findNext()
      if (next === null) return null
      if (next.dueAt > clock.now()) return next.dueAt
      await handle(next)
    }
    return null
  }

  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}
