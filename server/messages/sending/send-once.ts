import type { Transaction } from '#storage/storage.ts'
import { claimLocalId, findSentMessage, isUniqueLocalId, saveLocalId } from './local-ids.ts'
import type { PreparedMessage } from './prepare-message.ts'
import { type SentMessage, saveMessage } from './send-message.ts'

/**
 * Saves and delivers the message. If its author has already sent it, returns the first message instead, whose
 * recipients have already been notified. This happens because clients repeat requests whose response was lost.
 */
export async function sendOnce(
  tx: Transaction,
  prepared: PreparedMessage,
  localId: string | undefined,
): Promise<SentMessage> {
  if (localId === undefined || !isUniqueLocalId(localId)) return saveMessage(tx, prepared)
  const { id: userId } = prepared.author.user
  if (!(await claimLocalId(tx, userId, localId))) {
    const id = await findSentMessage(tx.db, userId, localId)
    // The id may have expired since it was found to be taken.
    return id === null ? sendOnce(tx, prepared, localId) : { id, newPolicy: null, recipientCount: 0 }
  }
  const sent = await saveMessage(tx, prepared)
  saveLocalId(tx, sent.id, userId, localId)
  return sent
}
