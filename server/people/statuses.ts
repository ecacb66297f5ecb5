import { z } from 'zod'
import type { Db, Transaction } from '#storage/storage.ts'

// The statuses of users: text and emoji, as they are stored and as clients see them. A status with an end time is
// cleared by the server.

/** The emoji of a status. It has one of the three types of emoji. */
type StatusEmoji = {
  emojiName: string
  emojiCode: string
  reactionType: 'unicode_emoji' | 'realm_emoji' | 'service_extra_emoji'
}

/**
 * A user's status: text, an emoji, or both. The server clears it at `endsAt`, in UNIX seconds. It has no end time if
 * `endsAt` is null.
 */
export type Status = { text: string; emoji: StatusEmoji | null; endsAt: number | null }

const NO_STATUS: Status = { text: '', emoji: null, endsAt: null }

/** A status as clients see it. Empty parts are left out. */
export const statusJson = z.strictObject({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z
    .enum(['unicode_emoji', 'realm_emoji', 'service_extra_emoji', 'zulip_extra_emoji'])
    .optional()
    .describe('Clients that do not know `service_extra_emoji` receive it as `zulip_extra_emoji`.'),
  scheduled_end_time: z
    .int()
    .nullable()
    .optional()
    .describe('The UNIX time at which the server clears the status. Null in an event if it no longer ends.'),
})

export function isEmpty({ text, emoji }: Pick<Status, 'text' | 'emoji'>): boolean {
  return text === '' && emoji === null
}

export function toStatusJson(
  { text, emoji, endsAt }: Status,
  extraEmojiType: 'service_extra_emoji' | 'zulip_extra_emoji',
): z.infer<typeof statusJson> {
  return {
    ...(text !== '' && { status_text: text }),
    ...(emoji !== null && {
      emoji_name: emoji.emojiName,
      emoji_code: emoji.emojiCode,
      reaction_type: emoji.reactionType === 'service_extra_emoji' ? extraEmojiType : emoji.reactionType,
    }),
    ...(endsAt !== null && { scheduled_end_time: endsAt }),
  }
}

/**
 * Returns the event for a changed status. It contains only the parts that were set. Empty strings mean that a part was
 * removed.
 */
export function statusChanged(
  userId: number,
  { text, emoji, endsAt }: Partial<{ [Part in keyof Status]: Status[Part] | undefined }>,
) {
  return {
    type: 'user_status',
    user_id: userId,
    ...(text !== undefined && { status_text: text }),
    ...(emoji !== undefined && {
      emoji_name: emoji?.emojiName ?? '',
      emoji_code: emoji?.emojiCode ?? '',
      reaction_type: emoji?.reactionType ?? 'unicode_emoji',
    }),
    ...(endsAt !== undefined && { scheduled_end_time: endsAt }),
  } as const
}

const columns = [
  'userStatuses.userId',
  'userStatuses.text',
  'userStatuses.emojiName',
  'userStatuses.emojiCode',
  'userStatuses.reactionType',
  'userStatuses.endsAt',
] as const

type Row = {
  text: string
  emojiName: string | null
  emojiCode: string | null
  reactionType: string | null
  endsAt: number | null
}

const toStatus = ({ text, emojiName, emojiCode, reactionType, endsAt }: Row): Status => ({
  text,
  endsAt,
  emoji:
    emojiName === null || emojiCode === null
      ? null
      : { emojiName, emojiCode, reactionType: reactionType as StatusEmoji['reactionType'] },
})

export async function findStatus(db: Db, userId: number): Promise<Status> {
  const row = await db.selectFrom('userStatuses').select(columns).where('userId', '=', userId).executeTakeFirst()
  return row === undefined ? NO_STATUS : toStatus(row)
}

/** Returns the statuses of these accounts by user id. Accounts without a status are left out. */
export async function findStatuses(db: Db, userIds: readonly number[]): Promise<Map<number, Status>> {
  if (userIds.length === 0) return new Map()
  const rows = await db.selectFrom('userStatuses').select(columns).where('userId', 'in', userIds).execute()
  return new Map(rows.map((row) => [row.userId, toStatus(row)]))
}

/** Returns the statuses of the organization's active accounts by user id. Accounts without a status are left out. */
export async function findRealmStatuses(db: Db, realmId: number): Promise<Map<number, Status>> {
  const rows = await db
    .selectFrom('userStatuses')
    .innerJoin('users', 'users.id', 'userStatuses.userId')
    .select(columns)
    .where('users.realmId', '=', realmId)
    .where('users.deactivatedAt', 'is', null)
    .orderBy('userStatuses.userId')
    .execute()
  return new Map(rows.map((row) => [row.userId, toStatus(row)]))
}

export async function saveStatus(tx: Transaction, userId: number, status: Status): Promise<void> {
  if (isEmpty(status)) {
    await tx.deleteFrom('userStatuses').where('userId', '=', userId).execute()
    return
  }
  const { text, emoji, endsAt } = status
  const row = {
    text,
    emojiName: emoji?.emojiName ?? null,
    emojiCode: emoji?.emojiCode ?? null,
    reactionType: emoji?.reactionType ?? null,
    setAt: tx.now,
    endsAt,
  }
  await tx
    .insertInto('userStatuses')
    .values({ userId, ...row })
    .onConflict((on) => on.column('userId').doUpdateSet(row))
    .execute()
}

/**
 * If the end time of the user's status has passed, deletes the status and returns it; otherwise returns null. Waits for
 * a concurrent change of the status.
 */
export async function deleteEndedStatus(tx: Transaction, userId: number): Promise<Status | null> {
  const row = await tx
    .deleteFrom('userStatuses')
    .where('userId', '=', userId)
    .where('endsAt', '<=', tx.now)
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? null : toStatus(row)
}

/** Returns the user and end time of the status that ends next; null if no status has an end time. */
export async function findNextEnd(db: Db): Promise<{ userId: number; dueAt: number } | null> {
  const row = await db
    .selectFrom('userStatuses')
    .select(['userId', 'endsAt'])
    .where('endsAt', 'is not', null)
    .orderBy('endsAt')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { userId: row.userId, dueAt: row.endsAt! }
}
