import { sql } from 'kysely'
import { refusal } from '../base/refusal.ts'
import type { Transaction } from '../storage/storage.ts'

/** How many drafts, snippets or scheduled messages a person keeps, and how many bytes they measure together. */
const MAX_TEXTS = 1000
const MAX_BYTES = 2_000_000

export const keptEnough = refusal(
  'BAD_REQUEST',
  400,
  `You can keep at most ${MAX_TEXTS} {things}, of ${MAX_BYTES} bytes together. Delete some of them first.`,
)

const kinds = {
  drafts: { owner: 'userId', texts: ['content', 'recipientIds'], things: 'drafts' },
  savedSnippets: { owner: 'userId', texts: ['content'], things: 'saved snippets' },
  scheduledMessages: { owner: 'senderId', texts: ['content', 'renderedContent'], things: 'scheduled messages' },
} as const

/** Refuses what was saved in the transaction when the person keeps too much by it: all of it is told when a client starts. */
export async function requireSpaceForTexts(
  { db }: Transaction,
  table: keyof typeof kinds,
  personId: number,
): Promise<void> {
  const { owner, texts, things } = kinds[table]
  const size = sql.join(
    texts.map((column) => sql`octet_length(${sql.ref(column)})`),
    sql` + `,
  )
  const taken = await db
    .selectFrom(table)
    .select((is) => [is.fn.countAll<number>().as('count'), sql<number>`coalesce(sum(${size}), 0)`.as('bytes')])
    .where(owner as never, '=', personId as never)
    .executeTakeFirstOrThrow()
  if (taken.count > MAX_TEXTS || taken.bytes > MAX_BYTES) throw keptEnough({ things })
}
