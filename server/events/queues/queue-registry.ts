import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { scheduleUnfetchedNotifications } from '#notifications/missed-messages.ts'
import type { NodeTopicId, Storage, Transaction } from '#storage/storage.ts'
import { type ClaimedQueues, openClaimedQueues } from './claimed-queues.ts'
import type { EventQueue } from './event-queue.ts'
import { ProgressWriter } from './progress-writer.ts'
import {
  deleteOldEvents,
  deleteQueues,
  findExistingIds,
  findIdleQueueIds,
  findNextExpiry,
  findQueue,
} from './queries.ts'

/** Seconds without a poll after which queues expire: the default, which is also the minimum, and the maximum. */
export const DEFAULT_LIFESPAN = 600
export const MAX_LIFESPAN = 7 * 86_400

/** Runs a sweep at the earliest of the requested times. */
class SweepTimer {
  readonly #clock: Clock
  readonly #sweep: () => Promise<void>
  /** Infinite while no sweep is scheduled. */
  #scheduledAt = Number.POSITIVE_INFINITY
  #cancel = () => {}
  #isClosed = false

  constructor(clock: Clock, sweep: () => Promise<void>) {
    this.#clock = clock
    this.#sweep = sweep
  }

  scheduleBy(time: number): void {
    if (this.#isClosed || time >= this.#scheduledAt) return
    this.#cancel()
    this.#cancel = this.#clock.schedule(time, this.#sweep)
    this.#scheduledAt = time
  }

  cancel(): void {
    this.#cancel()
    this.#scheduledAt = Number.POSITIVE_INFINITY
  }

  close(): void {
    this.#isClosed = true
    this.cancel()
  }
}

/**
 * The minimum number of seconds between two sweeps. An idle queue expires as soon as it is polled. Sweeps only free its
 * space.
 */
const SWEEP_INTERVAL = 600

/** The minimum number of seconds for which events stay in the log, even if all clients have received them. */
const EVENT_LIFETIME = 86_400

type QueueRegistryOptions = {
  storage: Storage
  clock: Clock
  log: Log
  /** Called for a queue that is polled at another node from now on. */
  onClaimed: (queue: EventQueue) => void
  /** Called for a queue that another node has deleted. */
  onDeleted: (queue: EventQueue) => void
  /** Called with the organizations that have queues in memory, after idle ones were dropped. */
  onSwept: (realmIds: ReadonlySet<number>) => void
}

/** Runs in the transaction that deletes queues, before it deletes them. */
type BeforeDeletion = (tx: Transaction, ids: readonly string[]) => Promise<void>

/**
 * The event queues. They stay in memory while clients poll them, and expire when idle. The progress of clients is
 * written with a delay of a second.
 */
export class QueueRegistry {
  readonly #options: QueueRegistryOptions
  /**
   * The idle time of a queue starts at this time at the earliest, because the time without a running server does not
   * count. If the clock is set back, this time moves back with it.
   */
  #openedAt: number
  readonly #known = new Map<string, EventQueue>()
  /**
   * The queues whose rows were found since accounts last changed. The other queues are looked up again, because
   * deleting an account deletes its queues.
   */
  readonly #checked = new Set<EventQueue>()
  readonly #claimed: ClaimedQueues
  readonly #progress: ProgressWriter
  readonly #sweeps: SweepTimer
  /** The number of pending polls of each queue. */
  readonly #held = new Map<EventQueue, number>()
  /** The number of deletions so far. A read that overlaps with a deletion is repeated. */
  #deletions = 0

  /** The number of queues in memory. */
  get size(): number {
    return this.#known.size
  }

  constructor(options: QueueRegistryOptions) {
    const { storage, clock, log } = options
    this.#options = options
    this.#openedAt = clock.now()
    this.#claimed = openClaimedQueues({ storage, log })
    this.#progress = new ProgressWriter({ storage, clock, log, exists: (queue) => !this.isDeleted(queue) })
    this.#sweeps = new SweepTimer(clock, () => this.#sweep())
    this.#listen()
    this.#sweepSoon()
  }

  #listen(): void {
    const { storage } = this.#options
    storage.onNodeNotification('queues-taken', (ids) => this.#applyClaims(ids))
    storage.onNodeNotification('queues-ended', (ids) => this.#applyDeletions(ids))
    storage.onCommit(({ written, userRows }) => {
      if (written.has('users')) this.#forgetChecks(userRows.get('users'))
      if (written.has('events') || written.has('eventQueues')) this.#sweepSoon()
    })
    storage.onOutsideCommit(() => {
      this.#checked.clear()
      this.#claimed.clear()
      this.#sweepSoon()
    })
    storage.onBecomeLeader(() => this.#sweepSoon())
  }

  /**
   * Returns the queue, or null if it does not exist or has expired. A queue that cannot be read is logged and deleted.
   */
  async find(id: string): Promise<EventQueue | null> {
    const queue = this.#findChecked(id) ?? (await this.#readQueue(id))
    if (!queue) {
      this.#dropQueues([id])
      return null
    }
    if (queue.form === null) {
      const { realmId, userId } = queue
      this.#options.log.error({ realmId, userId }, 'An event queue cannot be read and is deleted')
      await this.delete([id])
      return null
    }
    const current = this.#merge(queue)
    if (this.#isIdle(current)) {
      await this.delete([id])
      return null
    }
    this.#known.set(id, current)
    this.#checked.add(current)
    return current
  }

  /** Returns the queue like `find`, but without a query; undefined if a query is needed. */
  peek(id: string): EventQueue | undefined {
    const queue = this.#findChecked(id)
    return queue === undefined || this.#isIdle(queue) ? undefined : queue
  }

  /** Returns true if the queue has been deleted since it was found. */
  isDeleted(queue: EventQueue): boolean {
    return this.#known.get(queue.id) !== queue
  }

  /** Records a poll. It shows that the queue is not idle, and its client may have acknowledged events. */
  recordPoll(queue: EventQueue): void {
    this.#claimed.claim(queue)
    this.#progress.record(queue)
  }

  /** Keeps the queue from expiring while a poll waits, until `release`. */
  hold(queue: EventQueue): void {
    this.#held.set(queue, (this.#held.get(queue) ?? 0) + 1)
  }

  release(queue: EventQueue): void {
    const holds = (this.#held.get(queue) ?? 1) - 1
    if (holds === 0) this.#held.delete(queue)
    else this.#held.set(queue, holds)
    if (!this.isDeleted(queue)) this.#progress.record(queue)
  }

  /** Finds out which of these queues other nodes have deleted, and calls `onDeleted` for each of them. */
  async detectDeleted(queues: readonly EventQueue[]): Promise<void> {
    const ids = queues.map(({ id }) => id)
    try {
      const existing = await findExistingIds(this.#options.storage.db, ids)
      this.#applyDeletions(ids.filter((id) => !existing.has(id)))
    } catch (error) {
      this.#options.log.error({ err: error }, 'Deleted event queues could not be detected')
    }
  }

  async delete(ids: readonly string[], before?: BeforeDeletion): Promise<void> {
    if (ids.length === 0) return
    this.#dropQueues(ids)
    await this.#options.storage.transaction(async (tx) => {
      await before?.(tx, ids)
      await deleteQueues(tx, ids)
      tx.notifyNodes('queues-ended', ids)
    })
    // A concurrent read may still have found the queues.
    this.#dropQueues(ids)
    this.#deletions += 1
  }

  /** Drops everything from memory, because all rows are about to be deleted. */
  async reset(): Promise<void> {
    this.#progress.clear()
    this.#known.clear()
    this.#checked.clear()
    this.#claimed.clear()
    this.#sweeps.cancel()
  }

  async close(): Promise<void> {
    this.#sweeps.close()
    await this.#progress.write()
  }

  /** Makes the next use of the queues of these users, or of all queues, read them again. */
  #forgetChecks(userIds: readonly number[] | undefined): void {
    if (userIds === undefined) this.#checked.clear()
    else for (const queue of this.#checked) if (userIds.includes(queue.userId)) this.#checked.delete(queue)
  }

  #isIdle(queue: EventQueue): boolean {
    const { clock } = this.#options
    return !this.#held.has(queue) && clock.now() > Math.max(queue.polledAt, this.#openedAt) + queue.lifespan
  }

  #isHeld(id: string): boolean {
    const queue = this.#known.get(id)
    return queue !== undefined && this.#held.has(queue)
  }

  #findChecked(id: string): EventQueue | undefined {
    const queue = this.#known.get(id)
    const isCurrent = this.#options.storage.db.commitCounters.isComplete
    return queue !== undefined && this.#checked.has(queue) && isCurrent ? queue : undefined
  }

  /** Reads the queue, and repeats the read if a queue was deleted meanwhile. */
  async #readQueue(id: string): ReturnType<typeof findQueue> {
    for (;;) {
      const before = this.#deletions
      const queue = await findQueue(this.#options.storage.db, id)
      if (this.#deletions === before) return queue
    }
  }

  /**
   * Returns the queue's object in memory, updated with later progress that another node has written. Returns the given
   * object if there is none in memory.
   */
  #merge(queue: EventQueue): EventQueue {
    const current = this.#known.get(queue.id)
    if (current === undefined) return queue
    current.acknowledgedId = Math.max(current.acknowledgedId, queue.acknowledgedId)
    current.polledAt = Math.max(current.polledAt, queue.polledAt)
    return current
  }

  #findKnown(ids: readonly NodeTopicId[]): EventQueue[] {
    return ids.flatMap((id) => this.#known.get(String(id)) ?? [])
  }

  #applyClaims(ids: readonly NodeTopicId[]): void {
    for (const queue of this.#findKnown(ids)) {
      this.#claimed.release(queue)
      this.#checked.delete(queue)
      this.#options.onClaimed(queue)
    }
  }

  #applyDeletions(ids: readonly NodeTopicId[]): void {
    const deleted = this.#findKnown(ids)
    this.#dropQueues(ids.map(String))
    this.#deletions += 1
    for (const queue of deleted) this.#options.onDeleted(queue)
  }

  #dropQueues(ids: readonly string[]): void {
    for (const id of ids) {
      const queue = this.#known.get(id)
      if (queue === undefined) continue
      this.#progress.drop(queue)
      this.#checked.delete(queue)
      this.#claimed.release(queue)
      this.#known.delete(id)
    }
  }

  #sweepSoon(): void {
    const now = this.#options.clock.now()
    this.#openedAt = Math.min(this.#openedAt, now)
    this.#sweeps.scheduleBy(now + SWEEP_INTERVAL)
  }

  /** Drops idle queues from memory. The leading node also deletes the rows of idle queues, and old events. */
  async #sweep(): Promise<void> {
    const { storage, clock, log } = this.#options
    this.#sweeps.cancel()
    try {
      await this.#progress.write()
      this.#dropQueues([...this.#known.values()].filter((queue) => this.#isIdle(queue)).map(({ id }) => id))
      this.#options.onSwept(new Set([...this.#known.values()].map(({ realmId }) => realmId)))
      if (!storage.isLeader()) return this.#sweepSoon()
      const now = clock.now()
      const idle = await findIdleQueueIds(storage.db, now, this.#openedAt)
      await this.delete(
        idle.filter((id) => !this.#isHeld(id)),
        scheduleUnfetchedNotifications,
      )
      await storage.transaction((tx) => deleteOldEvents(tx, now - EVENT_LIFETIME))
      // Every commit from here on schedules the next sweep by itself.
      this.#sweeps.cancel()
      const next = await findNextExpiry(storage.db, { since: this.#openedAt, eventLifetime: EVENT_LIFETIME, now })
      if (next !== null) this.#sweeps.scheduleBy(Math.max(next, now + SWEEP_INTERVAL))
    } catch (error) {
      log.error({ err: error }, 'Idle event queues could not be deleted')
      this.#sweepSoon()
    }
  }
}
