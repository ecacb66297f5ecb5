import type { Db, Transaction } from '../../platform/storage/storage.ts'
import type { Conversation } from '../message.ts'

const keyOf = (participantIds: readonly number[]) => participantIds.toSorted((one, other) => one - other).join(',')

type ConversationRow = { id: number; participantsKey: string; recipientId: number | null }

export const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  participantIds: row.participantsKey.split(',').map(Number),
  groupRecipientId: row.recipientId,
})

/** The conversation of exactly these people; null when they have never had one. */
export async function findConversation(
  db: Db,
  realmId: number,
  participantIds: readonly number[],
): Promise<Conversation | null> {
  const row = await db
    .selectFrom('conversations')
    .select(['id', 'participantsKey', 'recipientId'])
    .where('realmId', '=', realmId)
    .where('participantsKey', '=', keyOf(participantIds))
    .executeTakeFirst()
  return row === undefined ? null : toConversation(row)
}

/** The conversation of exactly these people, begun when they have none. */
export async function ensureConversation(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<Conversation> {
  const found = (await findConversation(tx.db, realmId, participantIds)) ?? (await begin(tx, realmId, participantIds))
  // On PostgreSQL somebody else may have begun it in the meantime; their row is there when our insert gave up.
  const conversation = found ?? (await findConversation(tx.db, realmId, participantIds))
  if (conversation === null) throw new Error('A conversation vanished')
  return conversation
}

/** Null when somebody else began it first. */
async function begin(
  tx: Transaction,
  realmId: number,
  participantIds: readonly number[],
): Promise<Conversation | null> {
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
  return toConversation(row)
}

async function giveRecipientId(tx: Transaction, realmId: number): Promise<number> {
  const { id } = await tx.insertInto('recipients').values({ realmId }).returning('id').executeTakeFirstOrThrow()
  return id
}
