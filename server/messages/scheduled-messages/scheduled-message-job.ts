import { openDueJob } from '#lib/jobs/due-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import type { PeriodicTaskOptions } from '#lib/jobs/periodic-task.ts'
import { findNextToSend } from './queries.ts'
import { type SendingContext, sendScheduledMessage } from './send-scheduled-message.ts'

/** Sends scheduled messages one by one, in the order in which they are due. */
export const openScheduledMessageJob = (context: SendingContext & Pick<PeriodicTaskOptions, 'isResponsible'>): Job =>
  openDueJob({
    ...context,
    findNext: () => findNextToSend(context.db),
    handle: (message) => sendScheduledMessage(context, message),
    failureMessage: 'Failed to read or write scheduled messages',
  })
