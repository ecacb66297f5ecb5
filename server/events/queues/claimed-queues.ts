import type { Log } from '#lib/log.ts'
import { batches } from '#storage/sql.ts'
import type { Storage } from '#storage/storage.ts'
import type { EventQueue } from './event-queue.ts'

/** The maximum number of queues in one message to the other nodes. The size of such messages is limited. */
const BATCH_SIZE = 150

/** The queues that clients last polled at this node. Empty if there are no other nodes. */
export type ClaimedQueues = {
  /**
   * Records that the queue is polled at this node, and notifies the other nodes. They then answer their pending polls
   * of the queue.
   */
  claim(queue: EventQueue): void
  /** Records that the queue is polled at another node, or was deleted. */
  release(queue: EventQueue): void
  /** Forgets all queues, because any of them may now be polled at another node. */
  clear(): void
}

type ClaimedQueuesOptions = { storage: Pick<Storage, 'isShared' | 'isWritable' | 'transaction'>; log: Log }

export function openClaimedQueues({ storage, log }: ClaimedQueuesOptions): ClaimedQueues {
  const claimed = new Set<EventQueue>()
  let unannounced = new Set<EventQueue>()

  async function announce(): Promise<void> {
    const queues = [...unannounced]
    unannounced = new Set()
    const ids = queues.map(({ id }) => id)
    try {
      for (const batch of batches(ids, BATCH_SIZE))
        await storage.transaction(async (tx) => tx.notifyNodes('queues-taken', batch))
    } catch (error) {
      for (const queue of queues) claimed.delete(queue)
      if (storage.isWritable())
        log.error({ err: error }, 'The other nodes could not be notified about the event queues that are polled here')
    }
  }

  return {
    claim(queue) {
      if (!storage.isShared || claimed.has(queue)) return
      claimed.add(queue)
      if (unannounced.size === 0) setImmediate(announce)
      unannounced.add(queue)
    },
    release: (queue) => claimed.delete(queue),
    clear: () => claimed.clear(),
  }
}
