import { sql } from 'kysely'
import { refusal } from '#lib/errors.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { hasDailyLimits } from './access.ts'
import type { Actor } from './users.ts'

/**
 * The refusal if a user and their bots have created too many objects of one kind in 24 hours. Their number is limited
 * because every client downloads all channels, groups, bots and emoji when it starts. Administrators have no limit.
 */
export const dailyLimitReached = refusal(
  'BAD_REQUEST',
  400,
  'You cannot create more than {limit} {plural} in 24 hours. Try again later, or ask an administrator.',
)

/** The maximum numbers of groups, bots and emoji that a user who is not an administrator can create in 24 hours. */
export const MAX_GROUPS_PER_DAY = 100
export const MAX_BOTS_PER_DAY = 100
export const MAX_EMOJI_PER_DAY = 1000

/** A day in seconds. */
export const DAY = 86_400

type Creations = {
  table: 'channels' | 'userGroups' | 'users' | 'realmEmoji'
  /** The columns with the creator and the creation time of a row. */
  by: 'creatorId' | 'botOwnerId' | 'authorId'
  at: 'createdAt' | 'joinedAt'
  /** The plural noun in the error message. */
  plural: string
}

/**
 * Refuses if `count` more rows would exceed the actor's `limit` in 24 hours. The rows of a user and their bots count
 * together.
 */
export async function requireBelowDailyLimit(
  db: Db,
  actor: Actor,
  { table, by, at, plural }: Creations,
  { count, limit, now }: { count: number; limit: number; now: number },
): Promise<void> {
  if (!hasDailyLimits(actor)) return
  const row = await db
    .selectFrom(table)
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(by as never, 'in', (await findAccountIdsOfPerson(db, actor)) as never)
    .where(at as never, '>', (now - DAY) as never)
    .executeTakeFirstOrThrow()
  if (row.count + count > limit) throw dailyLimitReached({ limit, plural })
}

/** Returns the ids of a user and all of their bots. If the given account is a bot, the user is its owner. */
export async function findAccountIdsOfPerson(
  db: Db,
  { id, botOwnerId }: Pick<Actor, 'id' | 'botOwnerId'>,
): Promise<number[]> {
  const personId = botOwnerId ?? id
  const bots = await db.selectFrom('users').select('id').where('botOwnerId', '=', personId).execute()
  return [personId, ...bots.map((bot) => bot.id)]
}

/**
 * The maximum number of items of one kind (drafts, saved snippets or scheduled messages) that a user can have, and the
 * maximum total size of these items in bytes.
 */
const MAX_TEXTS = 1000
const MAX_BYTES = 2_000_000

export const textQuotaExceeded = refusal(
  'BAD_REQUEST',
  400,
  `You can save at most ${MAX_TEXTS} {plural} with ${MAX_BYTES} bytes in total. Delete some of them first.`,
)

const textTables = {
  drafts: { owner: 'userId', texts: ['content', 'recipientIds'], plural: 'drafts' },
  savedSnippets: { owner: 'userId', texts: ['content'], plural: 'saved snippets' },
  scheduledMessages: { owner: 'senderId', texts: ['content', 'renderedContent'], plural: 'scheduled messages' },
} as const

/** The number of items that a user has saved, and the total size of these items in bytes. */
type TextUsage = { count: number; bytes: number }

const NO_USAGE: TextUsage = { count: 0, bytes: 0 }

/**
 * Refuses if the user exceeds the limits with the items that the transaction has saved, since clients download all
 * items when they start. `before` is the usage before the transaction. A user who exceeded the limits even then,
 * because they did not exist yet, may still change items without making them longer.
 */
export async function requireTextQuota(
  tx: Transaction,
  table: keyof typeof textTables,
  personId: number,
  before: TextUsage = NO_USAGE,
): Promise<void> {
  const after = await findTextUsage(tx, table, personId)
  const isTooMuch = after.count > MAX_TEXTS || after.bytes > MAX_BYTES
  const hasGrown = after.count > before.count || after.bytes > before.bytes
  if (isTooMuch && hasGrown) throw textQuotaExceeded({ plural: textTables[table].plural })
}

/** Returns the number of a user's items, and their total size in bytes. */
export async function findTextUsage(
  { db }: Transaction,
  table: keyof typeof textTables,
  personId: number,
): Promise<TextUsage> {
  const { owner, texts } = textTables[table]
  const size = sql.join(
    texts.map((column) => sql`octet_length(${sql.ref(column)})`),
    sql` + `,
  )
  return db
    .selectFrom(table)
    .select((is) => [is.fn.countAll<number>().as('count'), sql<number>`coalesce(sum(${size}), 0)`.as('bytes')])
    .where(owner as never, '=', personId as never)
    .executeTakeFirstOrThrow()
}
