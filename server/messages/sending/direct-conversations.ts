import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { DirectConversation } from '../message.ts'

const keyOf = (participantIds: readonly number[]) => participantIds.toSorted((one, other) => one - other).join(',')

type ConversationRow = { id: number; participantsKey: string; recipientId: number | null }

export const toDirectConversation = (row: ConversationRow): DirectConversation => ({
  id: row.id,
  participantIds: row.participantsKey.split(',').map(Number),
  groupRecipientId: row.recipientId,
})

/** The conversation of exactly these people; null when they have never had one. */
export async function findDirectConversation(
  db: Db,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const row = await db
    .selectFrom('conversations')
    .select(['id', 'participantsKey', 'recipientId'])
    .where('realmId', '=', realmId)
    .where('participantsKey', '=', keyOf(participantIds))
    .executeTakeFirst()
  return row === undefined ? null : toDirectConversation(row)
}

/** The conversation of exactly these people, begun when they have none. */
export async function ensureDirectConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation> {
  const found =
    (await findDirectConversation(tx.db, realmId, participantIds)) ?? (await begin(tx, realmId, participantIds))
  // On PostgreSQL somebody else may have begun it in the meantime; their row is there when our insert gave up.
  const conversation = found ?? (await findDirectConversation(tx.db, realmId, participantIds))
  if (conversation === null) throw new Error('A conversation vanished')
  return conversation
}

/** Null when somebody else began it first. */
async function begin(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<DirectConversation | null> {
  const recipientId = participantIds.length < 3 ? null : await giveRecipientId(tx, realmId)
  const row = await tx
    .insertInto('conversations')
    .values({ realmId, recipientId, participantsKey: keyOf(participantIds) })
    .onConflict((on) => on.columns(['realmId', 'participantsKey']).doNothing())
    .returning(['id', 'participantsKey', 'recipientId'])
    .executeTakeFirst()
  if (row === undefined) return null
  const members = participantIds.map((userId) => ({ conversationId: row.id, userId }))
  await tx.insertInto('conversationMembers').values(members).execute()
  return toDirectConversation(row)
}

async function giveRecipientId(tx: Transaction, realmId: number): Promise<number> {
  const { id } = await tx.insertInto('recipients').values({ realmId }).returning('id').executeTakeFirstOrThrow()
  return id
}
