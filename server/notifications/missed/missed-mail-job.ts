import { openDueJob } from '#lib/jobs/due-job.ts'
import type { Job } from '#lib/jobs/job.ts'
import type { PeriodicTaskOptions } from '#lib/jobs/periodic-task.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import { type QueuedMail, queueMails } from '#mail/outbox.ts'
import { findNotifiableActor } from '#messages/notices/notifiable-user.ts'
import { deletePendingMails, findNextPendingMail } from '#messages/notices/queries.ts'
import type { Db, RunTransaction, Transaction } from '#storage/storage.ts'
import { findMissedMessages } from './find-missed-messages.ts'
import { MISSED_MESSAGES_TEMPLATE } from './missed-messages-template.ts'
import { contentHiddenReason } from './wording.ts'

type Options = Pick<PeriodicTaskOptions, 'isResponsible'> & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** True if an SMTP server is configured. Without one, due emails are dropped instead of being kept in the outbox. */
  hasRelay: boolean
}

/** Queues emails about missed messages when they are due. */
export const openMissedMailJob = ({ db, transaction, hasRelay, ...options }: Options): Job =>
  openDueJob({
    ...options,
    findNext: () => findNextPendingMail(db),
    handle: ({ userId }) =>
      transaction(async (tx) => {
        const ids = await deletePendingMails(tx, userId)
        if (hasRelay) await queueMailsAbout(tx, userId, ids)
      }),
    failureMessage: 'Failed to prepare emails about missed messages',
  })

/** Queues one email for each conversation, or a single email if emails must not name conversations. */
async function queueMailsAbout(tx: Transaction, userId: number, ids: readonly number[]): Promise<void> {
  const actor = await findNotifiableActor(tx.db, userId)
  if (ids.length === 0 || actor === null) return
  const conversations = await findMissedMessages(tx.db, actor, { medium: 'mail', ids }, tx.now)
  const idsByConversation = conversations.map(({ messages }) => messages.map(({ id }) => id))
  const includesContent =
    contentHiddenReason(actor.realm, actor.settings.message_content_in_email_notifications) === null
  const mails = includesContent ? idsByConversation : [idsByConversation.flat()].filter((ids) => ids.length > 0)
  queueMails(
    tx,
    mails.map(
      (messageIds): QueuedMail => ({
        realmId: actor.realmId,
        recipient: actor.deliveryEmail,
        letter: MISSED_MESSAGES_TEMPLATE,
        data: { userId, messageIds },
      }),
    ),
  )
}
