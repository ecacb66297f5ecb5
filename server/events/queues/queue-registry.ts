import { scheduleUnfetchedNotifications } from '../../messages/missed/schedule-unfetched-notifications.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { NodeTopicId, Storage, Transaction } from '../../platform/storage/storage.ts'
import { openClaimedQueues } from './claimed-queues.ts'
import {
  deleteOldEvents,
  deleteQueues,
  findExistingIds,
  findIdleQueueIds,
  findNextExpiry,
  findQueue,
  saveProgress,
} from './queries.ts'
import type { EventQueue } from './queue.ts'

/** Seconds after which the progress of clients is written. */
const WRITE_DELAY = 1

/** Seconds between two looks for idle queues, at least. Asking for one finds that it ended, so this only frees what it took. */
const SWEEP_INTERVAL = 600

/** Seconds that events stay in the log at least, whoever has them. */
const EVENT_LIFETIME = 86_400

/** Keeps the queues: in memory while they are polled, their progress written behind, idle ones ended. */
export type QueueRegistry = {
  /** A queue that is neither unknown nor idle for too long; one that cannot be read ends, and is logged. */
  find(id: string): Promise<EventQueue | null>
  /** The same, if that can be told without a look into the database; undefined where it takes one, or an end. */
  peek(id: string): EventQueue | undefined
  /** Whether the queue, once found, has ended since. */
  isDeleted(queue: EventQueue): boolean
  /** The client polled: the queue is not idle, and it may have acknowledged events. */
  recordPoll(queue: EventQueue): void
  /** A poll is held, so the queue is not idle however long it takes; and no longer held. */
  hold(queue: EventQueue): void
  release(queue: EventQueue): void
  /** Looks which of the queues have ended at other nodes, and tells of them. */
  detectDeleted(queues: readonly EventQueue[]): Promise<void>
  delete(ids: readonly string[]): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}

type QueueRegistryOptions = {
  storage: Storage
  clock: Clock
  log: Log
  /** Told of a queue that is polled at another node from now on. */
  onTaken: (queue: EventQueue) => void
  /** Told of a queue that another node has ended. */
  onEnded: (queue: EventQueue) => void
}

/** What the transaction does that ends queues, before it ends them. */
type BeforeEnd = (tx: Transaction, ids: readonly string[]) => Promise<void>

export function openQueueRegistry({ storage, clock, log, onTaken, onEnded }: QueueRegistryOptions): QueueRegistry {
  const { db, transaction } = storage
  /** Time during which no server ran does not count as idle; where the clock was set back since, all of it counts. */
  let openedAt = clock.now()
  const known = new Map<string, EventQueue>()
  /** Those whose row was there when it was looked for since accounts changed: with an account its queues end. */
  const checked = new Set<EventQueue>()
  const taken = openClaimedQueues({ storage, log })
  const held = new Map<EventQueue, number>()
  let changed = new Set<EventQueue>()
  /** How often queues were ended. */
  let endings = 0
  let cancelWrite: (() => void) | null = null
  /** When the next look is due; endless while there is nothing to look for. */
  let sweepsAt = Number.POSITIVE_INFINITY
  let cancelSweep = () => {}
  let isClosed = false

  const isIdle = (queue: EventQueue) =>
    !held.has(queue) && clock.now() > Math.max(queue.polledAt, openedAt) + queue.lifespan

  function checkedOf(id: string): EventQueue | undefined {
    const queue = known.get(id)
    return queue !== undefined && checked.has(queue) && db.commitCounters.isComplete ? queue : undefined
  }

  const isHeld = (id: string) => {
    const queue = known.get(id)
    return queue !== undefined && held.has(queue)
  }

  async function write(): Promise<void> {
    cancelWrite?.()
    cancelWrite = null
    const queues = [...changed]
    changed = new Set()
    if (queues.length === 0) return
    try {
      await transaction((tx) => saveProgress(tx, queues))
    } catch (error) {
      if (storage.isWritable()) log.error({ err: error }, 'How far clients are could not be written')
      // It is with what is written next.
      for (const queue of queues) if (known.get(queue.id) === queue) changed.add(queue)
    }
  }

  function note(queue: EventQueue): void {
    queue.polledAt = clock.now()
    changed.add(queue)
    cancelWrite ??= clock.schedule(clock.now() + WRITE_DELAY, write)
  }

  function sweepBy(time: number): void {
    if (isClosed || time >= sweepsAt) return
    cancelSweep()
    cancelSweep = clock.schedule(time, sweep)
    sweepsAt = time
  }

  function stopSweeping(): void {
    cancelSweep()
    sweepsAt = Number.POSITIVE_INFINITY
  }

  function sweepSoon(): void {
    openedAt = Math.min(openedAt, clock.now())
    sweepBy(clock.now() + SWEEP_INTERVAL)
  }

  async function sweep(): Promise<void> {
    stopSweeping()
    try {
      await write()
      forgetQueues([...known.values()].filter(isIdle).map((queue) => queue.id))
      if (!storage.isLeader()) return sweepSoon()
      const now = clock.now()
      const idle = await findIdleQueueIds(db, now, openedAt)
      await end(
        idle.filter((id) => !isHeld(id)),
        scheduleUnfetchedNotifications,
      )
      await transaction((tx) => deleteOldEvents(tx, now - EVENT_LIFETIME))
      // Whatever is committed from here on brings about the next look by itself.
      stopSweeping()
      const next = await findNextExpiry(db, { since: openedAt, eventLifetime: EVENT_LIFETIME, now })
      if (next !== null) sweepBy(Math.max(next, now + SWEEP_INTERVAL))
    } catch (error) {
      log.error({ err: error }, 'Idle event queues could not be ended')
      sweepSoon()
    }
  }

  async function end(ids: readonly string[], before?: BeforeEnd): Promise<void> {
    if (ids.length === 0) return
    forgetQueues(ids)
    await transaction(async (tx) => {
      await before?.(tx, ids)
      await deleteQueues(tx, ids)
      tx.notifyNodes('queues-ended', ids)
    })
    // Whoever looked for them meanwhile may have found them still.
    forgetQueues(ids)
    endings += 1
  }

  function forgetQueues(ids: readonly string[]): void {
    for (const id of ids) {
      const queue = known.get(id)
      if (queue === undefined) continue
      changed.delete(queue)
      checked.delete(queue)
      taken.release(queue)
      known.delete(id)
    }
  }

  storage.onNodeNotification('queues-taken', (ids) => {
    for (const queue of knownOf(ids)) {
      taken.release(queue)
      checked.delete(queue)
      onTaken(queue)
    }
  })
  storage.onNodeNotification('queues-ended', noteEnded)

  function knownOf(ids: readonly NodeTopicId[]): EventQueue[] {
    return ids.flatMap((id) => known.get(String(id)) ?? [])
  }

  function noteEnded(ids: readonly NodeTopicId[]): void {
    const ended = knownOf(ids)
    forgetQueues(ids.map(String))
    endings += 1
    for (const queue of ended) onEnded(queue)
  }

  /** What another node has written of the queue counts where it is further than what is known here. */
  function meet(queue: EventQueue): EventQueue {
    const current = known.get(queue.id)
    if (current === undefined) return queue
    current.acknowledgedId = Math.max(current.acknowledgedId, queue.acknowledgedId)
    current.polledAt = Math.max(current.polledAt, queue.polledAt)
    return current
  }

  /** As of a moment after the last end of queues. */
  async function findStanding(id: string): ReturnType<typeof findQueue> {
    for (;;) {
      const before = endings
      const queue = await findQueue(db, id)
      if (endings === before) return queue
    }
  }

  storage.onCommit(({ written }) => {
    if (written.has('users')) checked.clear()
    if (written.has('events') || written.has('eventQueues')) sweepSoon()
  })
  storage.onOutsideCommit(() => {
    checked.clear()
    taken.clear()
    sweepSoon()
  })
  storage.onBecomeLeader(sweepSoon)
  sweepSoon()

  return {
    async find(id) {
      const queue = checkedOf(id) ?? (await findStanding(id))
      if (!queue) {
        forgetQueues([id])
        return null
      }
      if (queue.form === null) {
        const { realmId, userId } = queue
        log.error({ realmId, userId }, 'An event queue cannot be read and is ended')
        await end([id])
        return null
      }
      const current = meet(queue)
      if (isIdle(current)) {
        await end([id])
        return null
      }
      known.set(id, current)
      checked.add(current)
      return current
    },
    peek(id) {
      const queue = checkedOf(id)
      return queue === undefined || isIdle(queue) ? undefined : queue
    },
    isDeleted: (queue) => known.get(queue.id) !== queue,
    recordPoll(queue) {
      taken.claim(queue)
      note(queue)
    },
    hold(queue) {
      held.set(queue, (held.get(queue) ?? 0) + 1)
    },
    release(queue) {
      const holds = (held.get(queue) ?? 1) - 1
      if (holds === 0) held.delete(queue)
      else held.set(queue, holds)
      if (known.get(queue.id) === queue) note(queue)
    },
    async detectDeleted(queues) {
      try {
        const standing = await findExistingIds(
          db,
          queues.map(({ id }) => id),
        )
        noteEnded(queues.map(({ id }) => id).filter((id) => !standing.has(id)))
      } catch (error) {
        log.error({ err: error }, 'Which event queues have ended could not be read')
      }
    },
    delete: end,
    async reset() {
      cancelWrite?.()
      cancelWrite = null
      changed = new Set()
      known.clear()
      checked.clear()
      taken.clear()
      stopSweeping()
    },
    async close() {
      isClosed = true
      stopSweeping()
      await write()
    },
  }
}
