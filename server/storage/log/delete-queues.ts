import type { Transaction } from '../storage.ts'

/**
 * Deletes all event queues of an account. A node that has such a queue in memory notices the deletion when it looks up
 * the row.
 */
export async function deleteQueuesOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('eventQueues').where('userId', '=', userId).execute()
}
