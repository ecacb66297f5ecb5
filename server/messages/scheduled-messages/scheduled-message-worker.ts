import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import { findNextToSend } from './queries.ts'
import { type SendingContext, sendScheduledMessage } from './send-scheduled-message.ts'

/** Sends scheduled messages when they are due, one after the other in the order of their times. */
export type ScheduledMessageWorker = {
  /** Looks for what is due soon. To be called after each commit that wrote `scheduledMessages`. */
  wake(): void
  /** Resolves when nothing that is due now is left, and the clock will wake the scheduler for what comes next. */
  settled(): Promise<void>
  /** Begins nothing more; resolves when what it had begun has ended. */
  close(): Promise<void>
}

/** Opens at once: what became due while no server ran is looked after, too. */
export function openScheduledMessageWorker(
  room: SendingContext & Pick<PeriodicTaskOptions, 'isResponsible'>,
): ScheduledMessageWorker {
  const { db, clock, log, isResponsible } = room
  const {
    run: round,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: sendAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, 'Scheduled messages cannot be read or written'),
  })

  async function sendAllDue(): Promise<number | null> {
    while (!isStopped()) {
      const next = await findNextToSend(db)
      if (next === null) return null
      if (next.dueAt > clock.now()) return next.dueAt
      await sendScheduledMessage(room, next)
    }
    return null
  }

  void round()
  return { wake: () => void round(), settled: round, close: stop }
}
