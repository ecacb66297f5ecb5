import type { Selectable } from 'kysely'
import type { Db, Transaction } from '../storage/storage.ts'
import type { Tables } from '../storage/tables.ts'
import type { Mail, MailState } from './mail.ts'

export type MailFilter = {
  realmId?: number
  state?: MailState
  /** In any case. */
  recipient?: string
  invitationIds?: readonly number[]
  /** Only mails older than this one: the next page. */
  beforeId?: number
  limit?: number
}

/** The mails that match, newest first; at most 100 unless `limit` says otherwise. */
export async function findMails(db: Db, filter: MailFilter = {}): Promise<Mail[]> {
  if (filter.invitationIds?.length === 0) return []
  let query = db
    .selectFrom('mails')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
  if (filter.realmId !== undefined) query = query.where('realmId', '=', filter.realmId)
  if (filter.state !== undefined) query = query.where('state', '=', filter.state)
  if (filter.recipient !== undefined) query = query.where('recipientKey', '=', filter.recipient.toLowerCase())
  if (filter.invitationIds !== undefined) query = query.where('invitationId', 'in', filter.invitationIds)
  if (filter.beforeId !== undefined) query = query.where('id', '<', filter.beforeId)
  return (await query.execute()).map(toMail)
}

export async function findMail(db: Db, id: number): Promise<Mail | null> {
  const row = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toMail(row)
}

/** At most `limit` mails that are due, the longest due first. */
export async function findDueMails(db: Db, now: number, limit: number): Promise<Mail[]> {
  const rows = await db
    .selectFrom('mails')
    .selectAll()
    .where('state', '=', 'queued')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toMail)
}

/** When the next mail is due, which may be past; null when none is queued. */
export async function findNextDueAt(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('mails')
    .select('dueAt')
    .where('state', '=', 'queued')
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return row?.dueAt ?? null
}

/** Counts an attempt before it is made; false when the mail was cancelled or taken meanwhile. */
export async function saveAttempt(tx: Transaction, mail: Mail, nextDueAt: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('mails')
    .set({ attempts: mail.attempts + 1, dueAt: nextDueAt })
    .where('id', '=', mail.id)
    .where('state', '=', 'queued')
    .where('attempts', '=', mail.attempts)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The mail stays queued, unless it was cancelled meanwhile. */
export async function saveDeferral(tx: Transaction, id: number, dueAt: number, reply: string): Promise<void> {
  await tx.updateTable('mails').set({ dueAt, reply }).where('id', '=', id).where('state', '=', 'queued').execute()
}

/** A mail that did go out is recorded as sent even if it was cancelled meanwhile; any other end leaves that. */
export async function endMail(
  tx: Transaction,
  id: number,
  state: Exclude<MailState, 'queued'>,
  reply: string | null,
): Promise<void> {
  const update = tx.updateTable('mails').set({ state, reply, dueAt: null, endedAt: tx.now }).where('id', '=', id)
  await (state === 'sent' ? update : update.where('state', '=', 'queued')).execute()
}

function toMail({ recipientKey: _, ...row }: Selectable<Tables['mails']>): Mail {
  return { ...row, state: row.state as MailState, data: JSON.parse(row.data) }
}
