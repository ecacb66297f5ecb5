import { sql } from 'kysely'
import { idsIn } from '#storage/json-list.ts'
import type { Transaction } from '#storage/storage.ts'
import { Flag } from './flag.ts'

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
