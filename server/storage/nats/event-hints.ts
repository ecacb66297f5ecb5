import { setTimeout as sleep } from 'node:timers/promises'
import type { EventFeed, EventRow } from '../storage.ts'
import type { AppendedRows } from '../transactions/engine.ts'
import type { Bus } from './bus.ts'

// The rows of event logs, which nodes send each other after their commits, so that those with clients of an
// organization need not read them from the database. The rows are hints: they may be lost, doubled, late or in another
// order. A feed returns rows only without a gap, and only up to an id of which the message about a commit has said that
// it is committed. All other rows are read from the database.

/** The rows that a commit has appended to a log; null if they are too long to be sent. */
type Hint = { lastId: number; rows: readonly EventRow[] | null }

/** Milliseconds for which the rows of a commit may be on their way when the message about it is here. */
const PATIENCE = 50

/** The maximum number of characters of the rows of a commit that are sent. */
const MAX_SENT = 500_000

/** The maximum number of characters of the rows of an organization that are kept until the messages about them come. */
const MAX_KEPT = 4_000_000

const subjectOf = (realmId: number) => `log.${realmId}`

const lengthOf = ({ payload, audience, absentIds }: EventRow) =>
  payload.length + audience.length + (absentIds?.length ?? 0)

const totalLength = (rows: readonly EventRow[]) => rows.reduce((length, row) => length + lengthOf(row), 0)

type EventHintsOptions = {
  bus: Bus
  /** Returns whether messages arrive over NATS without delay, so that rows are worth waiting for. */
  areTimely: () => boolean
}

/** Sends the rows of this node, and receives those of the organizations that it follows. */
export class EventHints {
  readonly #options: EventHintsOptions
  readonly #feeds = new Map<number, Feed>()

  constructor(options: EventHintsOptions) {
    this.#options = options
  }

  /** Sends the rows of a commit, after the message about it. */
  send(appended: AppendedRows): void {
    for (const [realmId, rows] of appended) {
      const lastId = rows.at(-1)?.id
      if (lastId === undefined) continue
      const hint: Hint = { lastId, rows: totalLength(rows) > MAX_SENT ? null : rows }
      this.#feeds.get(realmId)?.add(hint)
      const isSent = this.#send(realmId, hint)
      // The server may accept less.
      if (!isSent && hint.rows !== null) this.#send(realmId, { lastId, rows: null })
    }
  }

  #send(realmId: number, hint: Hint): boolean {
    return this.#options.bus.publish(subjectOf(realmId), JSON.stringify(hint))
  }

  /** Receives the rows of an organization until the feed is closed. An organization has one feed at a time. */
  follow(realmId: number): EventFeed {
    const { bus, areTimely } = this.#options
    const feed = new Feed(areTimely, () => {
      unsubscribe()
      if (this.#feeds.get(realmId) === feed) this.#feeds.delete(realmId)
    })
    const unsubscribe = bus.subscribe(subjectOf(realmId), (text) => feed.add(JSON.parse(text) as Hint))
    this.#feeds.set(realmId, feed)
    return feed
  }
}

class Feed implements EventFeed {
  readonly #areTimely: () => boolean
  readonly #onClose: () => void
  readonly #rows = new Map<number, EventRow>()
  /** The number of characters of the rows. */
  #length = 0
  /** Some rows up to this id do not come. */
  #lackedUpTo = 0
  #onAdded = () => {}

  constructor(areTimely: () => boolean, onClose: () => void) {
    this.#areTimely = areTimely
    this.#onClose = onClose
  }

  add({ lastId, rows }: Hint): void {
    if (rows === null) this.#lackedUpTo = Math.max(this.#lackedUpTo, lastId)
    else for (const row of rows) this.#keep(row)
    if (this.#length > MAX_KEPT) {
      this.#drop(lastId)
      this.#lackedUpTo = Math.max(this.#lackedUpTo, lastId)
    }
    this.#onAdded()
  }

  take(after: number, upTo: number): ReturnType<EventFeed['take']> {
    this.#drop(after)
    if (upTo === Number.POSITIVE_INFINITY) return null
    return this.#find(after, upTo) ?? (this.#mayCome(after) ? this.#await(after, upTo) : null)
  }

  close(): void {
    this.#onClose()
    this.#lackedUpTo = Number.POSITIVE_INFINITY
    this.#onAdded()
  }

  #mayCome(after: number): boolean {
    return this.#areTimely() && this.#lackedUpTo <= after
  }

  #find(after: number, upTo: number): readonly EventRow[] | null {
    const rows: EventRow[] = []
    for (let id = after + 1; id <= upTo; id += 1) {
      const row = this.#rows.get(id)
      if (row === undefined) return null
      rows.push(row)
    }
    return rows
  }

  async #await(after: number, upTo: number): Promise<readonly EventRow[] | null> {
    const ended = new AbortController()
    this.#onAdded = () => {
      if (!this.#mayCome(after) || this.#find(after, upTo) !== null) ended.abort()
    }
    await sleep(PATIENCE, undefined, { signal: ended.signal }).catch(() => {})
    this.#onAdded = () => {}
    return this.#find(after, upTo)
  }

  #keep(row: EventRow): void {
    if (this.#rows.has(row.id)) return
    this.#rows.set(row.id, row)
    this.#length += lengthOf(row)
  }

  /** Drops the rows up to the id. */
  #drop(upTo: number): void {
    for (const [id, row] of this.#rows)
      if (id <= upTo) {
        this.#rows.delete(id)
        this.#length -= lengthOf(row)
      }
  }
}
