import { batches } from '../../storage/batches.ts'
import type { Transaction } from '../../storage/storage.ts'
import { Flag } from './flag.ts'

/** The flags of a record that was not made by delivery. */
export const HISTORICAL = Flag.read | Flag.historical

/**
 * Gives the person records, with these flags, of messages that they may read and never received; existing ones are left
 * as they are.
 */
export async function saveHistoricalRecords(
  tx: Transaction,
  userId: number,
  messageIds: readonly number[],
  flags = HISTORICAL,
): Promise<void> {
  for (const batch of batches(messageIds)) {
    const rows = batch.map((messageId) => ({ userId, messageId, flags }))
    await tx
      .insertInto('userMessages')
      .values(rows)
      .onConflict((on) => on.doNothing())
      .execute()
  }
}
