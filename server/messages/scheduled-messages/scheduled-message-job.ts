import type { Job } from '../../platform/jobs/job.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import { findNextToSend } from './queries.ts'
import { type SendingContext, sendScheduledMessage } from './send-scheduled-message.ts'

/** Sends scheduled messages one by one in the order of their times. It starts at once, so that messages which became due while no server ran are sent too. */
export function openScheduledMessageJob(context: SendingContext & Pick<PeriodicTaskOptions, 'isResponsible'>): Job {
  const { db, clock, log, isResponsible } = context
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
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
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}
