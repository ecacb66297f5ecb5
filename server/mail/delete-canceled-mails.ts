import { sql } from 'kysely'
import { idsIn } from '#storage/json-list.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/** Seconds for which canceled emails stay in the outbox. */
export const CANCELED_LIFETIME = 30 * 86_400

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
