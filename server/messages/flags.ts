import { sql } from 'kysely'
import type { Channel } from '#channels/channel.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The flags of messages, as bits of each user's record of a message. A message that a user may read but never
// received has no record until the user flags it.

/** The flags of a message for one user, as bits. Clients receive the flags in this order. */
export const Flag = {
  read: 1 << 0,
  starred: 1 << 1,
  collapsed: 1 << 2,
  mentioned: 1 << 3,
  stream_wildcard_mentioned: 1 << 4,
  topic_wildcard_mentioned: 1 << 5,
  group_mentioned: 1 << 6,
  force_expand: 1 << 7,
  force_collapse: 1 << 8,
  has_alert_word: 1 << 9,
  historical: 1 << 10,
} as const

export type FlagName = keyof typeof Flag

const flags = Object.entries(Flag) as [FlagName, number][]

/** The flags of messages that mention the user with a wildcard. */
export const ANY_WILDCARD = Flag.stream_wildcard_mentioned | Flag.topic_wildcard_mentioned

/** The flags of messages that mention the user in any way. */
export const MENTION_FLAGS = Flag.mentioned | ANY_WILDCARD | Flag.group_mentioned

/** Flags that the server derives from the text of a message. */
export const TEXT_FLAGS = MENTION_FLAGS | Flag.has_alert_word

/** Internal flag: the message was moved to a channel that the user is not subscribed to. */
export const MOVED_TO_UNSUBSCRIBED = 1 << 11

/** Flags that few records have. The condition of a partial index of `userMessages` contains this number. */
export const INDEXED_FLAGS = TEXT_FLAGS | Flag.starred | Flag.historical | MOVED_TO_UNSUBSCRIBED

/** Flags that users add and remove themselves. */
export const editableFlags = ['read', 'starred', 'collapsed'] as const

export type EditableFlag = (typeof editableFlags)[number]

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(Flag, name)
}

/**
 * Returns the flag names in the order in which clients receive them. `null` means that the user has no record of the
 * message.
 */
export function toFlagsJson(bits: number | null): string[] {
  if (bits === null) return ['read', 'historical']
  const names: string[] = []
  for (const [name, bit] of flags) if (bits & bit) names.push(name)
  if (bits & ANY_WILDCARD) names.push('wildcard_mentioned')
  return names
}

/** Returns the flag names for events about edits, which contain neither the old name of wildcard mentions nor history. */
export function toUpdateFlagsJson(bits: number | null): string[] {
  return bits === null ? ['read'] : toFlagsJson(bits).filter((name) => name !== 'wildcard_mentioned')
}

const texts = new Map<number | null, string>()

/** Returns the result of `toFlagsJson` as JSON text. Each result is cached, because few combinations occur. */
export function toFlagsJsonText(bits: number | null): string {
  const known = texts.get(bits)
  if (known !== undefined) return known
  const text = JSON.stringify(toFlagsJson(bits))
  texts.set(bits, text)
  return text
}

/** The flags of a record that was created after the message was delivered. */
export const HISTORICAL_FLAGS = Flag.read | Flag.historical

const asInteger = (value: number) => sql<number>`cast(${value} as bigint)`

/**
 * Saves records with these flags for messages that the user may read but never received. Leaves existing records
 * unchanged. Saves no records for messages that are deleted at the same time.
 */
export async function saveHistoricalRecords(
  tx: Transaction,
  userId: number,
  messageIds: readonly number[],
  flags = HISTORICAL_FLAGS,
): Promise<void> {
  const messages = tx.db
    .selectFrom('messages')
    .select([asInteger(userId).as('userId'), 'id as messageId', asInteger(flags).as('flags')])
    .where('id', 'in', idsIn(tx.db.dialect, JSON.stringify(messageIds)))
    .forKeyShare()
  await tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(messages)
    .onConflict((on) => on.doNothing())
    .execute()
}

/** The maximum number of earlier messages for which a new subscriber gets records. */
const MAX_EARLIER_MESSAGES = 1000

/** The maximum number of these messages that start as unread. They are the newest ones. */
const MAX_UNREAD_AT_FIRST = 20

/** Gives a new subscriber records of recent messages in the channels, except in channels with protected history. */
export async function addRecentHistory(tx: Transaction, userId: number, channels: readonly Channel[]): Promise<void> {
  const sharedChannels = channels.filter((channel) => channel.isHistoryShared)
  if (sharedChannels.length === 0) return
  // A message that is being sent is either visible here or delivered to the new subscriber.
  await lockMessageIds(tx)
  const recent = await findRecentIds(
    tx.db,
    sharedChannels.map(({ id }) => id),
  )
  await saveHistoricalRecords(tx, userId, recent.slice(0, MAX_UNREAD_AT_FIRST), Flag.historical)
  await saveHistoricalRecords(tx, userId, recent.slice(MAX_UNREAD_AT_FIRST))
}

/** Returns the ids of the newest messages in the channels, newest first. */
async function findRecentIds(db: Db, channelIds: readonly number[]): Promise<number[]> {
  const ids: number[] = []
  for (const channelId of channelIds) {
    const rows = await db
      .selectFrom('messages')
      .select('id')
      .where('channelId', '=', channelId)
      .orderBy('id', 'desc')
      .limit(MAX_EARLIER_MESSAGES)
      .execute()
    ids.push(...rows.map((row) => row.id))
  }
  return ids.sort((one, other) => other - one).slice(0, MAX_EARLIER_MESSAGES)
}
