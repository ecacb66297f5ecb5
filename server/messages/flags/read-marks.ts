import type { Db, Transaction } from '#storage/storage.ts'

/** A channel or a direct conversation. The other id is 0. */
export type MessageContainer = { channelId: number; conversationId: number }

export const channelContainer = (channelId: number): MessageContainer => ({ channelId, conversationId: 0 })

/** Returns the channel or direct conversation of a message. */
export function containerOf(message: { channelId: number | null; conversationId: number | null }): MessageContainer {
  return { channelId: message.channelId ?? 0, conversationId: message.conversationId ?? 0 }
}

/** Returns the id below which the user has no unread messages in the channel or conversation. */
export async function findReadMark(
  db: Db,
  userId: number,
  { channelId, conversationId }: MessageContainer,
): Promise<number> {
  const mark = await db
    .selectFrom('readMarks')
    .select('messageId')
    .where('channelId', '=', channelId)
    .where('conversationId', '=', conversationId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  return mark?.messageId ?? 0
}

export async function saveReadMark(
  tx: Transaction,
  userId: number,
  container: MessageContainer,
  messageId: number,
): Promise<void> {
  await tx
    .insertInto('readMarks')
    .values({ ...container, userId, messageId })
    .onConflict((on) => on.columns(['channelId', 'conversationId', 'userId']).doUpdateSet({ messageId }))
    .execute()
}

/** Lowers the user's read mark, because this message and all later ones may be unread. */
export async function lowerReadMark(
  tx: Transaction,
  userId: number,
  container: MessageContainer,
  messageId: number,
): Promise<void> {
  if ((await findReadMark(tx.db, userId, container)) > messageId) await saveReadMark(tx, userId, container, messageId)
}

/** Lowers the read marks of all users in the channel, because this message and all later ones may be unread. */
export async function lowerReadMarks(tx: Transaction, channelId: number, messageId: number): Promise<void> {
  await tx
    .updateTable('readMarks')
    .set({ messageId })
    .where('channelId', '=', channelId)
    .where('conversationId', '=', 0)
    .where('messageId', '>', messageId)
    .execute()
}

/** The maximum number of messages by which a read mark advances in one step. */
const MAX_ADVANCE = 1000

/** Advances the user's read mark to the first unread message of the container, by at most `MAX_ADVANCE` messages. */
export async function advanceReadMark(tx: Transaction, userId: number, container: MessageContainer): Promise<void> {
  const mark = await findReadMark(tx.db, userId, container)
  const next = await tx.db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    .select(['messages.id', 'userMessages.flags'])
    .where('messages.id', '>=', mark)
    .$if(container.channelId !== 0, (query) => query.where('channelId', '=', container.channelId))
    .$if(container.conversationId !== 0, (query) => query.where('conversationId', '=', container.conversationId))
    .orderBy('messages.id')
    .limit(MAX_ADVANCE)
    .execute()
  const unread = next.find(({ flags }) => flags !== null && (flags & 1) === 0)
  const reached = unread?.id ?? (next.at(-1)?.id ?? mark - 1) + 1
  if (reached !== mark) await saveReadMark(tx, userId, container, reached)
}
