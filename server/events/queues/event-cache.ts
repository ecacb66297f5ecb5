import type { Log } from '#lib/log.ts'
import { eventCounter, recordLastId } from '#storage/counters.ts'
import type { Db, EventFeed } from '#storage/storage.ts'
import { type LoggedEvent, toEventId, toLogId } from './event-queue.ts'
import { type EventPage, findEventsAfter, PAGE_SIZE, readEvents } from './queries.ts'

/** The maximum number of events in memory per organization. */
const MAX_EVENTS = 2000

/**
 * The maximum total length, in characters, of an organization's event payloads in memory. It keeps large events from
 * filling the memory.
 */
const MAX_SIZE = 64_000_000

/** The newest events of an organization. They are read from the log and kept in memory. */
export type EventCache = {
  /** The event id up to which the log has been read. */
  readonly lastId: number
  /**
   * Reads the next page of the log and returns its events. `isAtEnd` is true if the log has no further events, or none up
   * to the log id `upTo`. Only one call may run at a time.
   */
  pull(upTo?: number): Promise<{ fresh: readonly LoggedEvent[]; isAtEnd: boolean }>
  /**
   * Returns the events after an event id, at most one page of them. Events that are no longer in memory are read from the
   * log.
   */
  after(id: number): readonly LoggedEvent[] | Promise<readonly LoggedEvent[]>
}

type EventCacheOptions = { db: Db; log: Log; realmId: number; startId: number; feed?: EventFeed }

/**
 * Opens a cache of the events after `startId`, an id of the log. It reads them from the database, and those whose rows the
 * feed has without queries. It logs events that it cannot read.
 */
export function openEventCache({ db, log, realmId, startId, feed }: EventCacheOptions): EventCache {
  let events: LoggedEvent[] = []
  let size = 0
  let lastId = toEventId(startId)

  async function read(afterId: number): Promise<EventPage> {
    const page = await findEventsAfter(db, realmId, toLogId(afterId))
    for (const { id: eventId, type, fault } of page.events)
      if (fault !== undefined)
        log.error({ realmId, eventId: toLogId(eventId), type, fault }, 'An event cannot be read and is skipped')
    return page
  }

  /** Returns the events up to the log id that the feed has; null if the database must be asked. */
  async function takeFromFeed(upTo: number): Promise<EventPage | null> {
    if (upTo <= toLogId(lastId)) return { events: [], isAtEnd: true }
    const rows = (await feed?.take(toLogId(lastId), upTo)) ?? null
    const taken = rows && (await readEvents(db, rows))
    return taken?.every(({ fault }) => fault === undefined) ? { events: taken, isAtEnd: true } : null
  }

  /** Adds the events, and drops the oldest events beyond the limits. */
  function add(fresh: readonly LoggedEvent[]): void {
    const all = events.concat(fresh)
    for (const event of fresh) size += event.size
    let start = 0
    while (all.length - start > MAX_EVENTS || (size > MAX_SIZE && all.length - start > 1)) {
      size -= (all[start] as LoggedEvent).size
      start += 1
    }
    events = start === 0 ? all : all.slice(start)
  }

  return {
    get lastId() {
      return lastId
    },
    async pull(upTo = Number.POSITIVE_INFINITY) {
      const { events: fresh, isAtEnd } = (await takeFromFeed(upTo)) ?? (await read(lastId))
      // The events are added and `lastId` is set without an `await` in between. Otherwise, a reader could miss the new
      // events.
      add(fresh)
      lastId = fresh.at(-1)?.id ?? lastId
      recordLastId(db, eventCounter(realmId), toLogId(lastId))
      return { fresh, isAtEnd }
    },
    after(id) {
      const first = events[0]
      if (id >= lastId) return []
      if (first === undefined || toLogId(id) < toLogId(first.id) - 1) return read(id).then((page) => page.events)
      const start = positionAfter(events, id)
      return events.slice(start, start + PAGE_SIZE)
    },
  }
}

/** Returns the position of the first event after `id`. */
function positionAfter(events: readonly LoggedEvent[], id: number): number {
  let [low, high] = [0, events.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((events[middle] as LoggedEvent).id <= id) low = middle + 1
    else high = middle
  }
  return low
}
