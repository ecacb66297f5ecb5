import { LOCAL_ID_LIFETIME } from '#rules/limits.ts'
import { defineQuery, defineUnawaitedWrite, defineWrite } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { type SentMessage, sendMessage } from './send-message.ts'

// Sending a message once although its request is repeated: the random id that a client or an email gives to a message is
// remembered for two weeks.

/** The maximum number of expired ids that one transaction deletes. */
const DELETED_AT_ONCE = 1000

/**
 * The form of random ids. Only they identify a message, because some clients number their messages and reuse the
 * numbers.
 */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns true if the id is never used for another message of its sender. */
const isUniqueLocalId = (localId: string): boolean => UUID.test(localId)

const messageIdsOf = defineQuery((db, userId: number, localId: string) =>
  db.selectFrom('sentLocalIds').select('messageId').where('userId', '=', userId).where('localId', '=', localId),
)

/** Returns the message that the user sent with this id; null if there is none. */
export async function findSentMessage(db: Db, userId: number, localId: string): Promise<number | null> {
  return (await messageIdsOf(db, userId, localId))[0]?.messageId ?? null
}

const claimRows = defineWrite('sentLocalIds', (tx, userId: number, localId: string, sentAt: number) =>
  tx
    .insertInto('sentLocalIds')
    .values({ userId, localId, messageId: 0, sentAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('localId'),
)

/**
 * Reserves the id for a message of this transaction. Returns false if the id is taken. If another transaction has
 * reserved the id, this waits until that transaction ends.
 */
const claimLocalId = async (tx: Transaction, userId: number, localId: string): Promise<boolean> =>
  (await claimRows(tx, userId, localId, tx.now)).length > 0

/** Records the message that the reserved id belongs to. */
const saveLocalId = defineUnawaitedWrite('sentLocalIds', (tx, messageId: number, userId: number, localId: string) =>
  tx.updateTable('sentLocalIds').set({ messageId }).where('userId', '=', userId).where('localId', '=', localId),
)

/** Deletes a batch of expired ids; returns true if there may be more. */
export async function deleteExpiredLocalIds(tx: Transaction): Promise<boolean> {
  const expired = await tx.db
    .selectFrom('sentLocalIds')
    .select('sentAt')
    .where('sentAt', '<=', tx.now - LOCAL_ID_LIFETIME)
    .orderBy('sentAt')
    .limit(DELETED_AT_ONCE)
    .execute()
  const last = expired.at(-1)
  if (last !== undefined) await tx.deleteFrom('sentLocalIds').where('sentAt', '<=', last.sentAt).execute()
  return expired.length === DELETED_AT_ONCE
}

/**
 * Saves and delivers the message. If its author has already sent it, returns the first message instead, whose
 * recipients have already been notified. This happens because clients repeat requests whose response was lost.
 */
export async function sendOnce(
  tx: Transaction,
  prepared: PreparedMessage,
  localId: string | undefined,
): Promise<SentMessage> {
  if (localId === undefined || !isUniqueLocalId(localId)) return sendMessage(tx, prepared)
  const { id: userId } = prepared.author.user
  if (!(await claimLocalId(tx, userId, localId))) {
    const id = await findSentMessage(tx.db, userId, localId)
    // The id may have expired since it was found to be taken.
    return id === null ? sendOnce(tx, prepared, localId) : { id, newPolicy: null, recipientCount: 0 }
  }
  const sent = await sendMessage(tx, prepared)
  saveLocalId(tx, sent.id, userId, localId)
  return sent
}
