import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import { findNextToSend } from './queries.ts'
import { type SendingContext, sendScheduledMessage } from './send-scheduled-message.ts'

/** Sends scheduled messages one by one in the order of their times. */
export type ScheduledMessageWorker = {
  /** Checks for due messages. Call it after each commit that wrote `scheduledMessages`. */
  wake(): void
  /** Resolves when no message is due and the next run is scheduled. */
  settled(): Promise<void>
  /** Starts no more work and resolves when the current work has finished. */
  close(): Promise<void>
}

/** Starts at once, so that messages which became due while no server ran are sent too. */
export function openScheduledMessageWorker(
  context: SendingContext & Pick<PeriodicTaskOptions, 'isResponsible'>,
): ScheduledMessageWorker {
  const { db, clock, log, isResponsible } = context
  const { run, stop, isStopped } = openPeriodicTask({
    clock,
    work: sendAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, 'Failed to read or write scheduled messages'),
  })

  async function sendAllDue(): Promise<number | null> {
    while (!isStopped()) {
      const next = await findNextToSend(db)
      if (next === null) return null
      if (next.dueAt > clock.now()) return next.dueAt
      await sendScheduledMessage(context, next)
    }
    return null
  }

  void run()
  return { wake: () => void run(), settled: run, close: stop }
}
