import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Storage } from '../storage/storage.ts'
import { endEvents, endQueues, findIdleQueueIds, findQueue, saveProgress } from './queries.ts'
import type { EventQueue } from './queue.ts'

/** Seconds after which the progress of clients is written. */
const WRITE_DELAY = 1

/** Seconds between two looks for idle queues. Asking for one finds that it ended, so this only frees what it took. */
const SWEEP_INTERVAL = 600

/** Seconds that events stay in the log at least, whoever has them. */
const EVENT_LIFETIME = 86_400

/** Keeps the queues: in memory while they are polled, their progress written behind, idle ones ended. */
export type Keeper = {
  /** A queue that is neither unknown nor idle for too long. */
  find(id: string): Promise<EventQueue | null>
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
  const held = new Map<string, number>()
  let changed = new Set<EventQueue>()
  let cancelWrite: (() => void) | null = null
  let cancelSweep = clock.schedule(openedAt + SWEEP_INTERVAL, sweep)

  const isIdle = (queue: EventQueue) =>
    !held.has(queue.id) && clock.now() > Math.max(queue.polledAt, openedAt) + queue.lifespan

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

  async function sweep(): Promise<void> {
    try {
      await write()
      const now = clock.now()
      const idle = await findIdleQueueIds(db, now, openedAt)
      await end(idle.filter((id) => !held.has(id)))
      for (const [id, queue] of known) if (isIdle(queue)) known.delete(id)
      await transaction((tx) => endEvents(tx, now - EVENT_LIFETIME))
    } catch (error) {
      log.error({ err: error }, 'Idle event queues could not be ended')
    }
    cancelSweep = clock.schedule(clock.now() + SWEEP_INTERVAL, sweep)
  }

  async function end(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const queue = known.get(id)
      if (queue !== undefined) changed.delete(queue)
      known.delete(id)
    }
    if (ids.length > 0) await transaction((tx) => endQueues(tx, ids))
  }

  return {
    async find(id) {
      const queue = known.get(id) ?? (await findQueue(db, id))
      if (queue === null) return null
      const current = known.get(id) ?? queue
      if (isIdle(current)) {
        await end([id])
        return null
      }
      known.set(id, current)
      return current
    },
    notePoll: note,
    noteHold(queue) {
      held.set(queue.id, (held.get(queue.id) ?? 0) + 1)
    },
    noteEnd(queue) {
      const holds = (held.get(queue.id) ?? 1) - 1
      if (holds === 0) held.delete(queue.id)
      else held.set(queue.id, holds)
      if (known.get(queue.id) === queue) note(queue)
    },
    end,
    async forget() {
      cancelWrite?.()
      cancelWrite = null
      changed = new Set()
      known.clear()
    },
    async close() {
      cancelSweep()
      await write()
    },
  }
}
