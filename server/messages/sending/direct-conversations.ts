import type { Db, Transaction } from '#storage/storage.ts'
import type { DirectConversation } from '../message.ts'

const toParticipantsKey = (participantIds: readonly number[]) =>
  participantIds.toSorted((one, other) => one - other).join(',')

type ConversationRow = { id: number; participantsKey: string; recipientId: number | null }

export const toDirectConversation = (row: ConversationRow): DirectConversation => ({
  id: row.id,
  participantIds: row.participantsKey.split(',').map(Number),
  groupRecipientId: row.recipientId,
})

/** Returns the conversation of exactly these users; null if they have none. */
export async function findDirectConversation(
  db: Db,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const row = await db
    .selectFrom('conversations')
    .select(['id', 'participantsKey', 'recipientId'])
    .where('realmId', '=', realmId)
    .where('participantsKey', '=', toParticipantsKey(participantIds))
    .executeTakeFirst()
  return row === undefined ? null : toDirectConversation(row)
}

/** Returns the conversation of exactly these users. Creates it if they have none. */
export async function ensureDirectConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation> {
  const found =
    (await findDirectConversation(tx.db, realmId, participantIds)) ??
    (await createConversation(tx, realmId, participantIds))
  // On PostgreSQL, another transaction may have created the conversation in the meantime. Its row is visible when the
  // insert conflicts.
  const conversation = found ?? (await findDirectConversation(tx.db, realmId, participantIds))
  if (conversation === null) throw new Error('A conversation vanished')
  return conversation
}

/** Creates the conversation. Returns null if another transaction created it first. */
async function createConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const recipientId = participantIds.length < 3 ? null : await createRecipientId(tx, realmId)
  const row = await tx
    .insertInto('conversations')
    .values({ realmId, recipientId, participantsKey: toParticipantsKey(participantIds) })
    .onConflict((on) => on.columns(['realmId', 'participantsKey']).doNothing())
    .returning(['id', 'participantsKey', 'recipientId'])
    .executeTakeFirst()
  if (row === undefined) return null
  const members = participantIds.map((userId) => ({ conversationId: row.id, userId }))
  await tx.insertInto('conversationMembers').values(members).execute()
  return toDirectConversation(row)
}

async function createRecipientId(tx: Transaction, realmId: number): Promise<number> {
  const { id } = await tx.insertInto('recipients').values({ realmId }).returning('id').executeTakeFirstOrThrow()
  return id
}
