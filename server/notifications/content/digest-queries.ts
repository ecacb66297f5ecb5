import { sql } from 'kysely'
import { type AccessScope, type Condition, isAmong, isInScope } from '#messages/narrow.ts'
import { readUserSettings, type UserSettings } from '#people/user-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/**
 * Returns whether the settings of a user allow digests. Users who do not share their presence get none, because the web
 * client does not report their activity.
 */
const wantsDigests = ({ enable_digest_emails, presence_enabled }: UserSettings): boolean =>
  enable_digest_emails && presence_enabled

/** Returns the ids of active organizations that have turned on digests. */
export async function findRealmIdsWithDigests(db: Db): Promise<number[]> {
  const rows = await db
    .selectFrom('realms')
    .select('id')
    .where('deactivatedAt', 'is', null)
    .where('settings', 'like', '%"digest_emails_enabled":true%')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * A user who may get a digest. `seenUntil` is the time of the user's last activity or last digest, whichever is later.
 */
export type DigestCandidate = { id: number; seenUntil: number }

/**
 * Returns the users whose settings allow digests, who have not used a client since `activeBefore`, and who have received
 * no digest since `preparedBefore`.
 */
export async function findDigestCandidates(
  db: Db,
  realmId: number,
  { activeBefore, preparedBefore }: { activeBefore: number; preparedBefore: number },
): Promise<DigestCandidate[]> {
  const rows = await db
    .selectFrom('users')
    .leftJoin('digests', 'digests.userId', 'users.id')
    .select(['users.id', 'users.settings', 'joinedAt', 'preparedAt'])
    .select(({ selectFrom }) =>
      selectFrom('activityIntervals')
        .select('endedAt')
        .whereRef('activityIntervals.userId', '=', 'users.id')
        .orderBy('startedAt', 'desc')
        .limit(1)
        .as('activeUntil'),
    )
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .where('botType', 'is', null)
    .where((is) => is.or([is('preparedAt', 'is', null), is('preparedAt', '<', preparedBefore)]))
    .orderBy('users.id')
    .execute()
  return rows
    .filter(({ settings }) => wantsDigests(readUserSettings(settings)))
    .map(({ joinedAt, activeUntil, ...row }) => ({ ...row, lastActiveAt: Math.max(joinedAt, activeUntil ?? 0) }))
    .filter(({ lastActiveAt }) => lastActiveAt < activeBefore)
    .map(({ id, lastActiveAt, preparedAt }) => ({ id, seenUntil: Math.max(lastActiveAt, preparedAt ?? 0) }))
}

/**
 * Records that a digest is prepared now, unless another node has recorded one since `before`. Returns true if this call
 * recorded it.
 */
export async function claimDigest(tx: Transaction, userId: number, before: number): Promise<boolean> {
  const rows = await tx
    .insertInto('digests')
    .values({ userId, preparedAt: tx.now })
    .onConflict((on) =>
      on.column('userId').doUpdateSet({ preparedAt: tx.now }).where('digests.preparedAt', '<', before),
    )
    .returning('userId')
    .execute()
  return rows.length > 0
}

/** A message that a person sent to a channel. */
type ActivityRow = { id: number; channelId: number; topicKey: string; senderId: number; sentAt: number }

/** Returns messages that people sent to the channels of the organization, from the message `fromId` on. */
export async function findActivityRows(db: Db, realmId: number, fromId: number, limit: number): Promise<ActivityRow[]> {
  const rows = await db
    .selectFrom('messages')
    .innerJoin('users', 'users.id', 'messages.senderId')
    .select(['messages.id', 'channelId', 'topicKey', 'senderId', 'sentAt'])
    .where('messages.realmId', '=', realmId)
    .where('messages.id', '>=', fromId)
    .where('channelId', 'is not', null)
    .where('users.botType', 'is', null)
    .where('users.realmId', '=', realmId)
    .orderBy('messages.id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, channelId: row.channelId ?? 0 }))
}

export type TopicActivity = { channelId: number; topicKey: string; messages: number; people: number; lastId: number }

export type Wanted = { scope: AccessScope; channelIds: readonly number[]; firstId: number }

/**
 * Matches messages of the channels from the message `firstId` on, if people sent them whom the reader has not muted.
 */
const isWanted = (db: Db, { scope, channelIds, firstId }: Wanted): Condition =>
  sql<boolean>`"messages"."id" >= ${firstId} and ${isAmong(db, 'messages.channelId', channelIds)}
    and ${isInScope(db, scope)} and "users"."botType" is null and "users"."realmId" = ${scope.realmId}
    and "messages"."senderId" not in (select "mutedUserId" from "mutedUsers" where "userId" = ${scope.userId})`

const readable = (db: Db, wanted: Wanted) =>
  db
    .selectFrom('messages')
    .innerJoin('users', 'users.id', 'messages.senderId')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', wanted.scope.userId),
    )
    .where(isWanted(db, wanted))

/** Counts the messages and the senders of each topic. */
export async function findTopicActivity(db: Db, wanted: Wanted): Promise<TopicActivity[]> {
  if (wanted.channelIds.length === 0) return []
  const rows = await readable(db, wanted)
    .select(({ fn }) => [
      'channelId',
      'topicKey',
      fn.countAll<number>().as('messages'),
      fn.count<number>('senderId').distinct().as('people'),
      fn.max<number>('messages.id').as('lastId'),
    ])
    .groupBy(['channelId', 'topicKey'])
    .execute()
  return rows.map(({ channelId, messages, people, ...row }) => ({
    ...row,
    channelId: channelId ?? 0,
    messages: Number(messages),
    people: Number(people),
  }))
}

export async function findFirstIds(
  db: Db,
  wanted: Wanted,
  { channelId, topicKey }: TopicActivity,
  limit: number,
): Promise<number[]> {
  const rows = await readable(db, wanted)
    .select('messages.id')
    .where('channelId', '=', channelId)
    .where('topicKey', '=', topicKey)
    .orderBy('messages.id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
