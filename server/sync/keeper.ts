import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Storage } from '../storage/storage.ts'
import { endEvents, endQueues, findIdleQueueIds, findNextEnd, findQueue, saveProgress } from './queries.ts'
import type { EventQueue } from './queue.ts'

/** Seconds after which the progress of clients is written. */
const WRITE_DELAY = 1

/** Seconds between two looks for idle queues, at least. Asking for one finds that it ended, so this only frees what it took. */
const SWEEP_INTERVAL = 600

/** Seconds that events stay in the log at least, whoever has them. */
const EVENT_LIFETIME = 86_400

/** Keeps the queues: in memory while they are polled, their progress written behind, idle ones ended. */
export type Keeper = {
  /** A queue that is neither unknown nor idle for too long; one that cannot be read ends, and is logged. */
  find(id: string): Promise<EventQueue | null>
  /** The same, if that can be told without a look into the database; undefined where it takes one, or an end. */
  peek(id: string): EventQueue | undefined
  /** Whether the queue, once found, has ended since. */
  hasEnded(queue: EventQueue): boolean
  /** The client polled: the queue is not idle, and it may have acknowledged events. */
  notePoll(queue: EventQueue): void
  /** A poll is held, so the queue is not idle however long it takes; and no longer held. */
  noteHold(queue: EventQueue): void
  noteEnd(queue: EventQueue): void
  end(ids: readonly string[]): Promise<void>
  forget(): Promise<void>
  close(): Promise<void>
}

export function openKeeper({ storage, clock, log }: { storage: Storage; clock: Clock; log: Log }): Keeper {
  const { db, transaction } = storage
  /** Time during which no server ran does not count as idle. */
  const openedAt = clock.now()
  const known = new Map<string, EventQueue>()
  /** Those whose row was there when it was looked for since accounts changed: with an account its queues end. */
  const checked = new Set<EventQueue>()
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
    return queue !== undefined && checked.has(queue) ? queue : undefined
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
      log.error({ err: error }, 'How far clients are could not be written')
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

  const sweepSoon = () => sweepBy(clock.now() + SWEEP_INTERVAL)

  async function sweep(): Promise<void> {
    stopSweeping()
    try {
      await write()
      const now = clock.now()
      const idle = await findIdleQueueIds(db, now, openedAt)
      await end(idle.filter((id) => !isHeld(id)))
      forgetQueues([...known.values()].filter(isIdle).map((queue) => queue.id))
      await transaction((tx) => endEvents(tx, now - EVENT_LIFETIME))
      // Whatever is committed from here on brings about the next look by itself.
      stopSweeping()
      const next = await findNextEnd(db, { since: openedAt, eventLifetime: EVENT_LIFETIME, now })
      if (next !== null) sweepBy(Math.max(next, now + SWEEP_INTERVAL))
    } catch (error) {
      log.error({ err: error }, 'Idle event queues could not be ended')
      sweepSoon()
    }
  }

  async function end(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    forgetQueues(ids)
    await transaction((tx) => endQueues(tx, ids))
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
      known.delete(id)
    }
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
    sweepSoon()
  })
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
      const current = known.get(id) ?? queue
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
    hasEnded: (queue) => known.get(queue.id) !== queue,
    notePoll: note,
    noteHold(queue) {
      held.set(queue, (held.get(queue) ?? 0) + 1)
    },
    noteEnd(queue) {
      const holds = (held.get(queue) ?? 1) - 1
      if (holds === 0) held.delete(queue)
      else held.set(queue, holds)
      if (known.get(queue.id) === queue) note(queue)
    },
    end,
    async forget() {
      cancelWrite?.()
      cancelWrite = null
      changed = new Set()
      known.clear()
      checked.clear()
      stopSweeping()
    },
    async close() {
      isClosed = true
      stopSweeping()
      await write()
    },
  }
}
