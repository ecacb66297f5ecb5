import type { Db } from '#storage/storage.ts'

/** Returns the id of the newest message in the user's channels and direct conversations. */
export async function findNewestMessageId(
  db: Db,
  userId: number,
  { withArchived }: { withArchived: boolean },
): Promise<number | null> {
  const inChannels = await db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'subscriptions.channelId')
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
    .$if(!withArchived, (query) => query.where('channels.archivedAt', 'is', null))
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
