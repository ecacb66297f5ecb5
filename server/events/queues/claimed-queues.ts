import type { Log } from '../../platform/runtime/log.ts'
import { batches } from '../../platform/storage/batches.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import type { EventQueue } from './queue.ts'

/** Queues that are named to the other nodes at once: so many fit into what is told of one commit. */
const TOLD_AT_ONCE = 150

/** The queues that are polled at this node, and not at another since; without other nodes none is kept. */
export type ClaimedQueues = {
  /** Lets the other nodes know that the queue is polled here: whoever waits for it there does so in vain. */
  claim(queue: EventQueue): void
  /** It is polled elsewhere, or has ended. */
  release(queue: EventQueue): void
  /** Any of them may be polled elsewhere. */
  clear(): void
}

type Options = { storage: Pick<Storage, 'isShared' | 'isWritable' | 'transaction'>; log: Log }

export function openClaimedQueues({ storage, log }: Options): ClaimedQueues {
  const taken = new Set<EventQueue>()
  let untold = new Set<EventQueue>()

  async function tell(): Promise<void> {
    const queues = [...untold]
    untold = new Set()
    const ids = queues.map(({ id }) => id)
    try {
      for (const batch of batches(ids, TOLD_AT_ONCE))
        await storage.transaction(async (tx) => tx.notifyNodes('queues-taken', batch))
    } catch (error) {
      for (const queue of queues) taken.delete(queue)
      if (storage.isWritable()) log.error({ err: error }, 'Other nodes could not be told which queues are polled here')
    }
  }

  return {
    claim(queue) {
      if (!storage.isShared || taken.has(queue)) return
      taken.add(queue)
      if (untold.size === 0) setImmediate(tell)
      untold.add(queue)
    },
    release: (queue) => taken.delete(queue),
    clear: () => taken.clear(),
  }
}
