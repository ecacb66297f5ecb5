import { type QueuedMail, queueMails } from '../../delivery/mail/outbox.ts'
import type { Job } from '../../platform/jobs/job.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction, Transaction } from '../../platform/storage/storage.ts'
import { findMissedMessages } from './find-missed-messages.ts'
import { MISSED_MESSAGES_TEMPLATE } from './missed-messages-template.ts'
import { findNotifiableActor } from './notifiable-user.ts'
import { deletePendingMails, findNextPendingMail } from './queries.ts'
import { contentHiddenReason } from './wording.ts'

type Options = Pick<PeriodicTaskOptions, 'isResponsible'> & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** An SMTP server is configured. Without one, due emails are dropped instead of being kept in the outbox. */
  hasRelay: boolean
}

/** Queues emails about missed messages when they are due. It starts at once, so that emails which became due while no server ran are sent too. */
export function openMissedMailJob({ db, transaction, clock, log, isResponsible, hasRelay }: Options): Job {
  const { run, stop, isStopped, failingSince } = openPeriodicTask({
    clock,
    work: queueAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, 'Failed to prepare emails about missed messages'),
  })

  async function queueAllDue(): Promise<number | null> {
    while (!isStopped()) {
      const next = await findNextPendingMail(db)
      if (next === null) return null
      if (next.dueAt > clock.now()) return next.dueAt
      await transaction(async (tx) => {
        const ids = await deletePendingMails(tx, next.userId)
        if (hasRelay) await queueMailsAbout(tx, next.userId, ids)
      })
    }
    return null
  }

  void run()
  return { wake: () => void run(), settled: run, close: stop, failingSince }
}

/** Queues one email per conversation, or a single one if emails must not name the conversation. */
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
