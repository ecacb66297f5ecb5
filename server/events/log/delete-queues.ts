import type { Transaction } from '../../platform/storage/storage.ts'

/** Deletes all event queues of an account. Nodes that have one in memory notice when they look up its row. */
export async function deleteQueuesOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('eventQueues').where('userId', '=', userId).execute()
}
