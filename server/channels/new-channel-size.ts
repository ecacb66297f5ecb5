import { sql } from 'kysely'
import { refusal } from '#lib/errors/refusal.ts'
import { hasDailyLimits } from '#people/users/access.ts'
import { DAY, findAccountIdsOfPerson } from '#people/users/daily-limits.ts'
import type { Actor } from '#people/users/user.ts'
import type { Transaction } from '#storage/storage.ts'

/**
 * The maximum total sizes, in bytes, of the descriptions and permissions of the channels that one user creates: of
 * those created in the last 24 hours, and of all.
 */
const MAX_NEW_BYTES = 1_000_000
const MAX_BYTES = 2_000_000

/** The bytes that each channel counts in addition, for its name and its other properties. */
const BYTES_PER_CHANNEL = 1000

export const newChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The descriptions and permissions of your new channels are too long in total (limit: ${MAX_NEW_BYTES} bytes in 24 hours).`,
)
export const ownChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The channels that you created are too large in total (limit: ${MAX_BYTES} bytes; each counts ${BYTES_PER_CHANNEL} bytes more than its description and permissions). Shorten their descriptions, or ask an administrator to create more channels.`,
)
export const channelSizeRefusals = [newChannelsTooLong, ownChannelsTooLong]

/**
 * Refuses if the channels that the actor created, in the last 24 hours or in total, exceed the maximum sizes, because
 * every client downloads them. Archived channels count. Call this after saving channels.
 */
export async function requireAllowedNewChannelSize({ db, now }: Transaction, actor: Actor): Promise<void> {
  if (!hasDailyLimits(actor)) return
  const size = sql<number>`octet_length("description") + octet_length("renderedDescription") + octet_length("settings")`
  const { ofNew, ofAll } = await db
    .selectFrom('channels')
    .select([
      sql<number>`coalesce(sum(case when "createdAt" > ${now - DAY} then ${size} else 0 end), 0)`.as('ofNew'),
      sql<number>`coalesce(sum(${size} + ${sql.lit(BYTES_PER_CHANNEL)}), 0)`.as('ofAll'),
    ])
    .where('creatorId', 'in', await findAccountIdsOfPerson(db, actor))
    .executeTakeFirstOrThrow()
  if (ofNew > MAX_NEW_BYTES) throw newChannelsTooLong()
  if (ofAll > MAX_BYTES) throw ownChannelsTooLong()
}
