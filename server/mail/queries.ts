import { type ExpressionBuilder, type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { defineQuery, idsIn, stringList, stringsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'
import {
  type Attempt,
  type AttemptOutcome,
  CANCELED_LIFETIME,
  type DeliveryState,
  type Mail,
  type MailState,
} from './outbox.ts'

// The rows of the outbox: which emails are due, and how each attempt ended. An attempt is claimed before it is made,
// so of several processes only one sends an email.

type MailFilter = {
  realmId?: number
  state?: DeliveryState
  /** The recipient's address. It matches in upper and lower case. */
  recipient?: string
  invitationIds?: readonly number[]
  /** The names of email templates. */
  templates?: readonly string[]
  /** Matches emails with lower ids, for the next page. */
  beforeId?: number
  limit?: number
}

/** Returns the emails that match, newest first, 100 at most unless `limit` is set. */
export async function findMails(db: Db, filter: MailFilter = {}): Promise<Mail[]> {
  if (filter.invitationIds?.length === 0) return []
  return (await mailsQuery(db, filter).execute()).map(toMail)
}

/**
 * The organization of an email, as an expression that no index covers: otherwise, a database might scan all emails of an
 * organization to find one address.
 */
const unindexedRealmId = sql<number>`"realmId" + 0`

type MailsQuery = SelectQueryBuilder<Tables, 'mails', Selectable<Tables['mails']>>

export function mailsQuery(db: Db, filter: MailFilter): MailsQuery {
  let query = db
    .selectFrom('mails')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
  if (filter.realmId !== undefined) {
    const realmId = filter.recipient === undefined ? sql.ref('realmId') : unindexedRealmId
    query = query.where(realmId, '=', filter.realmId)
  }
  if (filter.templates !== undefined) query = query.where('letter', 'in', filter.templates)
  const { state } = filter
  if (state !== undefined) query = query.where((is) => inDeliveryState(is, state))
  if (filter.recipient !== undefined) query = query.where('recipientKey', '=', filter.recipient.toLowerCase())
  if (filter.invitationIds !== undefined) query = query.where('invitationId', 'in', filter.invitationIds)
  if (filter.beforeId !== undefined) query = query.where('id', '<', filter.beforeId)
  return query
}

/** Matches emails for which `deliveryState` returns this state. */
function inDeliveryState(is: ExpressionBuilder<Tables, 'mails'>, state: DeliveryState) {
  const wasDeferred = is.and([is('attempts', '>', 0), is('reply', 'is not', null)])
  if (state === 'deferred') return is.and([is('state', '=', 'queued'), wasDeferred])
  if (state === 'queued') return is.and([is('state', '=', 'queued'), is.not(wasDeferred)])
  return is('state', '=', state)
}

export async function findMail(db: Db, id: number): Promise<Mail | null> {
  const row = await db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? null : toMail(row)
}

/** Returns each invitation's newest email with this template, ordered by invitation id. */
export async function findNewestMails(db: Db, invitationIds: readonly number[], letter: string): Promise<Mail[]> {
  const newest = db
    .selectFrom('mails')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('invitationId', 'in', idsIn(db.dialect, JSON.stringify(invitationIds)))
    .where('letter', '=', letter)
    .groupBy('invitationId')
  const rows = await db.selectFrom('mails').selectAll().where('id', 'in', newest).orderBy('invitationId').execute()
  return rows.map(toMail)
}

/** Returns true if a later email with the same template to the same address, in any organization, is not canceled. */
export async function wasQueuedAgain(db: Db, { id, letter, recipient }: Mail): Promise<boolean> {
  const later = await db
    .selectFrom('mails')
    .select('id')
    .where('recipientKey', '=', recipient.toLowerCase())
    .where('letter', '=', letter)
    .where('id', '>', id)
    .where('state', '!=', 'cancelled')
    .limit(1)
    .executeTakeFirst()
  return later !== undefined
}

type MailsSince = { realmId: number; letter: string; since: number }

/**
 * Returns the addresses in `recipients`, in lower case, for which the organization queued an email with the template
 * after `since`. Failed and canceled emails do not count.
 */
export async function findRecipientsSince(
  db: Db,
  mails: MailsSince,
  recipients: readonly string[],
): Promise<ReadonlySet<string>> {
  const keys = stringList(recipients.map((recipient) => recipient.toLowerCase()))
  const rows = await recipientsSince(db, keys, mails.realmId, mails.letter, mails.since)
  return new Set(rows.map(({ recipientKey }) => recipientKey))
}

export const recipientsQuery = (db: Db, keys: string, realmId: number, letter: string, since: number) =>
  db
    .selectFrom('mails')
    .select('recipientKey')
    .where('recipientKey', 'in', stringsIn(db.dialect, keys))
    .where(unindexedRealmId, '=', realmId)
    .where('letter', '=', letter)
    .where('createdAt', '>', since)
    .where('state', 'not in', ['cancelled', 'failed'])

const recipientsSince = defineQuery(recipientsQuery)

type DueMails = {
  limit: number
  /** Emails to these domains are left out. The domains consist of lower-case letters, digits, dots and hyphens. */
  withoutDomains: readonly string[]
}

/**
 * Returns emails that are due. Emails without an attempt come before emails that are tried again. In both groups, the
 * email that has been due longest comes first.
 */
export async function findDueMails(db: Db, now: number, { limit, withoutDomains }: DueMails): Promise<Mail[]> {
  let query = db
    .selectFrom('mails')
    .selectAll()
    .where('state', '=', 'queued')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .orderBy('id')
    .limit(limit)
  for (const domain of withoutDomains) query = query.where('recipientKey', 'not like', `%@${domain}`)
  const fresh = await query.where('attempts', '=', 0).execute()
  const others = fresh.length < limit ? await query.where('attempts', '>', 0).execute() : []
  return [...fresh, ...others].slice(0, limit).map(toMail)
}

/** Returns when the next email is due, which may be in the past; null if none is queued. */
export async function findNextDueAt(db: Db): Promise<number | null> {
  const row = await db
    .selectFrom('mails')
    .select('dueAt')
    .where('dueAt', 'is not', null)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return row?.dueAt ?? null
}

/** Returns the attempts to send an email, oldest first. */
export async function findAttempts(db: Db, mailId: number): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('mailAttempts')
    .select(['startedAt', 'endedAt', 'outcome', 'reply', 'dialogue'])
    .where('mailId', '=', mailId)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, outcome: row.outcome as AttemptOutcome | null }))
}

/**
 * Records an attempt before it is made, and returns its id; null if the email was canceled or another process is
 * sending it.
 */
export async function saveAttempt(tx: Transaction, mail: Mail, nextDueAt: number): Promise<number | null> {
  const { numUpdatedRows } = await tx
    .updateTable('mails')
    .set({ attempts: mail.attempts + 1, dueAt: nextDueAt })
    .where('id', '=', mail.id)
    .where('state', '=', 'queued')
    .where('attempts', '=', mail.attempts)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  const { id } = await tx
    .insertInto('mailAttempts')
    .values({ mailId: mail.id, startedAt: tx.now, endedAt: null, outcome: null, reply: null, dialogue: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function finishAttempt(
  tx: Transaction,
  id: number,
  end: Pick<Attempt, 'outcome' | 'reply' | 'dialogue'>,
): Promise<void> {
  await tx
    .updateTable('mailAttempts')
    .set({ ...end, endedAt: tx.now })
    .where('id', '=', id)
    .execute()
}

/** Saves the time of the next attempt, unless the email was canceled in the meantime. */
export async function saveDeferral(tx: Transaction, id: number, dueAt: number, reply: string): Promise<void> {
  await tx.updateTable('mails').set({ dueAt, reply }).where('id', '=', id).where('state', '=', 'queued').execute()
}

/**
 * Saves the final state. An email that was sent counts as sent even if it was canceled in the meantime; other states do not
 * replace the state of a canceled email.
 */
export async function finishMail(
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

/** The maximum number of emails that one transaction deletes. */
const DELETED_AT_ONCE = 500

/**
 * The state is part of the statement and not a parameter, so that the database can use the index of canceled emails.
 */
export const oldCanceledMailsQuery = (db: Db, endedBefore: number) =>
  db
    .selectFrom('mails')
    .select('id')
    .where(sql<boolean>`"state" = 'cancelled'`)
    .where('endedAt', '<=', endedBefore)
    .orderBy('endedAt')
    .limit(DELETED_AT_ONCE)

/** Deletes a batch of canceled emails with their attempts; returns true if there may be more. */
export async function deleteCanceledMails(tx: Transaction): Promise<boolean> {
  const old = await oldCanceledMailsQuery(tx.db, tx.now - CANCELED_LIFETIME).execute()
  if (old.length === 0) return false
  const ids = JSON.stringify(old.map(({ id }) => id))
  await tx.deleteFrom('mails').where('id', 'in', idsIn(tx.db.dialect, ids)).execute()
  return old.length === DELETED_AT_ONCE
}
