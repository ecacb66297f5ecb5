import { sql } from 'kysely'
import { refusal } from '#lib/errors.ts'
import type { Transaction } from '#storage/storage.ts'

// The quota for texts that users save: drafts, snippets and scheduled messages. It is limited because every client
// downloads all of them when it starts.

/** The number of items that a user has saved, and the total size of these items in bytes. */
type TextUsage = { count: number; bytes: number }

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
