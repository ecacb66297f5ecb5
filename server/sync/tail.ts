import type { Log } from '../base/log.ts'
import { eventCounter, noteLastId } from '../storage/counters.ts'
import type { Db } from '../storage/storage.ts'
import { findEventsAfter, PAGE } from './queries.ts'
import type { LoggedEvent } from './queue.ts'

/** How many events of an organization are kept in memory. */
const KEPT = 2000

/** The newest events of an organization, read from the log as commits add to it. */
export type Tail = {
  /** The id up to which the log has been read, and can be looked through. */
  readonly lastId: number
  /** Reads on, at most a page; the events that are new since the last call. One call at a time. */
  pull(): Promise<{ fresh: readonly LoggedEvent[]; isAtEnd: boolean }>
  /** What lies after an id, in order; from memory, or from the log where it goes back further. At most a page. */
  after(id: number): readonly LoggedEvent[] | Promise<readonly LoggedEvent[]>
}

type Options = { db: Db; log: Log; realmId: number; startId: number }

/** Begins behind `startId`. Events that cannot be read are logged. */
export function openTail({ db, log, realmId, startId }: Options): Tail {
  let events: LoggedEvent[] = []
  let lastId = startId

  async function read(afterId: number): Promise<LoggedEvent[]> {
    const page = await findEventsAfter(db, realmId, afterId)
    for (const { id: eventId, type, fault } of page)
      if (fault !== undefined) log.error({ realmId, eventId, type, fault }, 'An event cannot be read and is skipped')
    return page
  }

  return {
    get lastId() {
      return lastId
    },
    async pull() {
      const fresh = await read(lastId)
      // Both at once: whoever looks meanwhile would take what is not there yet for nothing.
      events = events.concat(fresh).slice(-KEPT)
      lastId = fresh.at(-1)?.id ?? lastId
      noteLastId(db, eventCounter(realmId), lastId)
      return { fresh, isAtEnd: fresh.length < PAGE }
    },
    after(id) {
      const first = events[0]
      if (id >= lastId) return []
      if (first === undefined || id < first.id - 1) return read(id)
      const start = positionAfter(events, id)
      return events.slice(start, start + PAGE)
    },
  }
}

/** Where the events after `id` begin. */
function positionAfter(events: readonly LoggedEvent[], id: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as LoggedEvent).id <= id) low = middle + 1
    else high = middle
  }
  return low
}
