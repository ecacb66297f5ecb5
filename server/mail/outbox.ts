import { toBase32 } from '#lib/security/secrets.ts'
import { insertRows } from '#storage/insert-rows.ts'
import { idsIn, stringList, stringsIn } from '#storage/json-list.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/** An email to one address. Its data must be JSON, and must contain no link and no secret. */
export type QueuedMail = {
  /** Null for emails of the installation itself. */
  realmId: number | null
  /** A validated address without a display name. */
  recipient: string
  /** The name of its email template. */
  letter: string
  data: unknown
  invitationId?: number
  /** The time at which the email is sent; at once if omitted. */
  dueAt?: number
}

/** Adds an email to the outbox. The email worker sends it after the commit. Returns its id. */
export async function queueMail(tx: Transaction, mail: QueuedMail): Promise<number> {
  const { id } = await tx.insertInto('mails').values(toRow(tx, mail)).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Adds many emails to the outbox, like `queueMail`. */
export function queueMails(tx: Transaction, mails: readonly QueuedMail[]): void {
  insertRows(
    tx,
    'mails',
    mails.map((mail) => toRow(tx, mail)),
  )
}

function toRow(tx: Transaction, mail: QueuedMail) {
  return {
    realmId: mail.realmId,
    recipient: mail.recipient,
    recipientKey: mail.recipient.toLowerCase(),
    letter: mail.letter,
    data: JSON.stringify(mail.data),
    invitationId: mail.invitationId ?? null,
    messageId: toBase32(tx.random.bytes(20)),
    createdAt: tx.now,
    state: 'queued',
    dueAt: mail.dueAt ?? tx.now,
    attempts: 0,
    reply: null,
    endedAt: null,
  }
}

/** Selects the emails of some invitations, or the emails with one template to some addresses in any organization. */
type MailSelector = { invitationIds: readonly number[] } | { recipients: readonly string[]; letter: string }

/** Finds and locks queued emails, always in the same order. */
const waiting = (db: Db) =>
  db.selectFrom('mails').select('id').where('state', '=', 'queued').orderBy('id').forNoKeyUpdate()

const waitingOf = defineQuery((db, invitationIds: string) =>
  waiting(db).where('invitationId', 'in', idsIn(db.dialect, invitationIds)),
)

const waitingTo = defineQuery((db, letter: string, recipientKeys: string) =>
  waiting(db).where('letter', '=', letter).where('recipientKey', 'in', stringsIn(db.dialect, recipientKeys)),
)

async function findWaiting({ db }: Transaction, of: MailSelector): Promise<{ id: number }[]> {
  if ('invitationIds' in of) return waitingOf(db, JSON.stringify(of.invitationIds))
  return waitingTo(db, of.letter, stringList(of.recipients.map((recipient) => recipient.toLowerCase())))
}

/** Cancels the selected emails that are still queued. */
export async function cancelMails(tx: Transaction, of: MailSelector): Promise<void> {
  const mails = await findWaiting(tx, of)
  if (mails.length === 0) return
  const ids = JSON.stringify(mails.map(({ id }) => id))
  await tx
    .updateTable('mails')
    .set({ state: 'cancelled', dueAt: null, endedAt: tx.now })
    .where('id', 'in', idsIn(tx.db.dialect, ids))
    .execute()
}

/**
 * Makes an email due now, and resets its attempts. Returns false if the email does not exist, or was sent or canceled.
 */
export async function retryMail(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mails')
    .set({ state: 'queued', dueAt: tx.now, attempts: 0, endedAt: null })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'failed', 'kept'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
