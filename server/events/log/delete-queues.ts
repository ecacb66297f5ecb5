import type { Transaction } from '../../platform/storage/storage.ts'

/** Ends all event queues of an account. Whoever holds one in memory learns of it by looking for its row. */
export async function deleteQueuesOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('eventQueues').where('userId', '=', userId).execute()
}
