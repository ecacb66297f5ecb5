import { sql } from 'kysely'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Transaction } from '../../platform/storage/storage.ts'

/** The maximum number of drafts, saved snippets or scheduled messages of a user, and their total size in bytes. */
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

/** The number of items that a user has saved, and their total size in bytes. */
type TextUsage = { count: number; bytes: number }

const NO_USAGE: TextUsage = { count: 0, bytes: 0 }

/**
 * Refuses the items that the transaction has saved if the user exceeds the limits, since clients download all of them
 * when they start. A user who exceeded them `before`, because the limits did not exist yet, may still change an item
 * without making it longer.
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

/** Returns the number and size of a user's items. */
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
