import { sql } from 'kysely'
import { hasDailyLimits } from '../people/users/access.ts'
import { DAY, findAccountIdsOfPerson } from '../people/users/daily-limits.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Transaction } from '../platform/storage/storage.ts'

/**
 * The maximum total size, in bytes, of the descriptions and permissions of the channels that one user creates in 24
 * hours.
 */
const MAX_BYTES = 1_000_000

export const newChannelsTooLong = refusal(
  'BAD_REQUEST',
  400,
  `The descriptions and permissions of your new channels are too long in total (limit: ${MAX_BYTES} bytes in 24 hours).`,
)

/**
 * Refuses if the channels that the actor created in the last 24 hours together exceed the maximum size, because every
 * client downloads them. Call this after saving channels.
 */
export async function requireAllowedNewChannelSize({ db, now }: Transaction, actor: Actor): Promise<void> {
  if (!hasDailyLimits(actor)) return
  const { bytes } = await db
    .selectFrom('channels')
    .select(
      sql<number>`coalesce(sum(
        octet_length("description") + octet_length("renderedDescription") + octet_length("settings")), 0)`.as('bytes'),
    )
    .where('creatorId', 'in', await findAccountIdsOfPerson(db, actor))
    .where('createdAt', '>', now - DAY)
    .executeTakeFirstOrThrow()
  if (bytes > MAX_BYTES) throw newChannelsTooLong()
}
