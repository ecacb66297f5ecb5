import type { Db } from '../storage/storage.ts'

/** The id of the newest message in the channels and conversations that somebody is in. */
export async function findNewestMessageId(db: Db, userId: number): Promise<number | null> {
  const inChannels = await db
    .selectFrom('subscriptions')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.channelId', '=', 'subscriptions.channelId')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .where('unsubscribedAt', 'is', null)
    .execute()
  const inConversations = await db
    .selectFrom('conversationMembers')
    .select(({ selectFrom }) =>
      selectFrom('messages')
        .select('id')
        .whereRef('messages.conversationId', '=', 'conversationMembers.conversationId')
        .orderBy('id', 'desc')
        .limit(1)
        .as('newestId'),
    )
    .where('userId', '=', userId)
    .execute()
  const newestId = Math.max(0, ...[...inChannels, ...inConversations].map((row) => row.newestId ?? 0))
  return newestId === 0 ? null : newestId
}
