import { type QueuedMail, queueMails } from '../../delivery/mail/outbox.ts'
import { openPeriodicTask, type PeriodicTaskOptions } from '../../platform/jobs/periodic-task.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Db, RunTransaction, Transaction } from '../../platform/storage/storage.ts'
import { findMissedMessages } from './find-missed.ts'
import { MISSED_MESSAGES_TEMPLATE } from './missed-messages-template.ts'
import { findNotifiableActor } from './notifiable-user.ts'
import { deletePendingMails, findNextPendingMail } from './queries.ts'
import { contentHiddenReason } from './wording.ts'

/** Puts into the outbox what people are to be told of, when it is time. */
export type MissedMailWorker = {
  /** Looks for what is due soon. To be called after each commit that wrote `missedMessages`. */
  wake(): void
  /** Resolves when nothing that is due now is left, and the clock will wake the mailer for what comes next. */
  settled(): Promise<void>
  /** Begins nothing more; resolves when what it had begun has ended. */
  close(): Promise<void>
}

type Options = Pick<PeriodicTaskOptions, 'isResponsible'> & {
  db: Db
  transaction: RunTransaction
  clock: Clock
  log: Log
  /** Whether mail goes anywhere; where it does not, what is due is dropped, so that no mails are kept that nobody asked for. */
  hasRelay: boolean
}

/** Opens at once: what became due while no server ran is looked after, too. */
export function openMissedMailWorker({
  db,
  transaction,
  clock,
  log,
  isResponsible,
  hasRelay,
}: Options): MissedMailWorker {
  const {
    run: round,
    stop,
    isStopped,
  } = openPeriodicTask({
    clock,
    work: handOverAllDue,
    isResponsible,
    onFailure: (error) => log.error({ err: error }, 'Mail about missed messages cannot be prepared'),
  })

  async function handOverAllDue(): Promise<number | null> {
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

  void round()
  return { wake: () => void round(), settled: round, close: stop }
}

/**
 * Queues the mails that tell somebody of messages, one for each conversation that there is still something to tell of; a
 * single one where it is not to say from where.
 */
async function queueMailsAbout(tx: Transaction, userId: number, ids: readonly number[]): Promise<void> {
  const actor = await findNotifiableActor(tx.db, userId)
  if (ids.length === 0 || actor === null) return
  const threads = await findMissedMessages(tx.db, actor, { medium: 'mail', ids }, tx.now)
  const idsOfThreads = threads.map(({ messages }) => messages.map(({ id }) => id))
  const isTold = contentHiddenReason(actor.realm, actor.settings.message_content_in_email_notifications) === null
  const mails = isTold ? idsOfThreads : [idsOfThreads.flat()].filter((one) => one.length > 0)
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
