import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { MAX_LIST_BYTES } from '#lib/protocol.ts'
import { findGaps, findLastEventId, type Gap, isLost } from '#storage/event-log.ts'
import type { Db, Emission, EventFeed } from '#storage/storage.ts'
import { shapeEvent } from '../shapes.ts'
import { EphemeralEvents } from './ephemeral-events.ts'
import { type EventCache, openEventCache } from './event-cache.ts'
import {
  type EphemeralEvent,
  type EventQueue,
  type LoggedEvent,
  nextEphemeralId,
  toEventId,
  toLogId,
} from './event-queue.ts'
import type { EventsJson, PendingPoll, RealmPolls } from './pending-poll.ts'

/**
 * The length, in UTF-16 units, from which the size of an event is measured. The size of shorter events is estimated.
 */
const MAX_ESTIMATED_LENGTH = 1000

type RealmEventsOptions = {
  db: Db
  clock: Clock
  log: Log
  meter?: Meter | undefined
  realmId: number
  feed: EventFeed
}

/**
 * An organization's events for its queues: the newest events of the log, ephemeral events, and the polls that wait for
 * later ones.
 */
export class RealmEvents implements RealmPolls {
  readonly cache: EventCache
  readonly pollsByUser = new Map<number, readonly PendingPoll[]>()
  deliveredId: number
  readonly #ephemeral = new EphemeralEvents()
  readonly #options: RealmEventsOptions
  #gaps: readonly Gap[]
  /**
   * The last log id that is known to be used. It is higher than all ids in the cache if events could not be read or
   * ids were skipped.
   */
  #countedId: number

  private constructor(options: RealmEventsOptions, gaps: readonly Gap[], startId: number) {
    this.#options = options
    this.#gaps = gaps
    this.#countedId = startId
    this.deliveredId = toEventId(startId)
    this.cache = openEventCache({ ...options, startId })
  }

  /** Starts after the last event that the log holds now. */
  static async open(options: RealmEventsOptions): Promise<RealmEvents> {
    const gaps = await findGaps(options.db, options.realmId)
    return new RealmEvents(options, gaps, await findLastEventId(options.db, options.realmId))
  }

  /** The id of the last event, ephemeral or of the log, that this process has received. */
  get lastId(): number {
    return Math.max(this.cache.lastId, this.deliveredId)
  }

  async refreshGaps(): Promise<void> {
    const { db, log, realmId } = this.#options
    try {
      this.#gaps = await findGaps(db, realmId)
    } catch (error) {
      log.warn({ err: error, realmId }, 'The gaps in the event log could not be read')
    }
  }

  /**
   * Reads the last id of the log, because a client may have received events that another node committed and this node
   * has not read.
   */
  async refreshCount(): Promise<void> {
    const { db, realmId } = this.#options
    this.#gaps = await findGaps(db, realmId)
    this.#countedId = await findLastEventId(db, realmId)
  }

  /**
   * Returns true if the queue's client may acknowledge the event: the event of the log exists, or the one before an
   * ephemeral event does, and the client has acknowledged no later event of the log.
   */
  isAcknowledgeable(queue: EventQueue, id: number): boolean {
    const logId = toLogId(id)
    const lastLogId = Math.max(toLogId(this.cache.lastId), this.#countedId)
    return logId >= queue.acknowledgedId && logId <= lastLogId && !isLost(this.#gaps, logId)
  }

  pollsOf(queue: EventQueue): PendingPoll[] {
    return (this.pollsByUser.get(queue.userId) ?? []).filter((poll) => poll.queue.id === queue.id)
  }

  addPoll(poll: PendingPoll): void {
    const { userId } = poll.queue
    const others = this.pollsByUser.get(userId)
    this.pollsByUser.set(userId, others === undefined ? [poll] : [...others, poll])
  }

  removePoll(poll: PendingPoll): void {
    const { userId } = poll.queue
    const all = this.pollsByUser.get(userId) ?? []
    if (all.length > 1) {
      this.pollsByUser.set(
        userId,
        all.filter((other) => other !== poll),
      )
    } else if (all[0] === poll) this.pollsByUser.delete(userId)
  }

  /** Answers the pending polls whose queues receive any of the events. */
  deliver(events: readonly LoggedEvent[]): void {
    this.deliveredId = Math.max(this.deliveredId, this.cache.lastId)
    for (const poll of this.#pollsFor(events)) {
      const { json } = this.#shapeAll(events, poll.queue, poll.scannedId)
      // The next poll acknowledges the events of this response, and then receives the events that did not fit.
      poll.scannedId = Math.max(poll.scannedId, this.cache.lastId)
      if (json !== '') poll.answer(json)
    }
  }

  /**
   * Answers the pending polls that receive the ephemeral event, and keeps it for clients that poll soon. If too many
   * happen between two events of the log, the last ones are dropped.
   */
  publish({ event: payload, audience }: Emission): void {
    // Events that are read but not delivered yet come later, so the id must be below theirs.
    const id = nextEphemeralId(this.deliveredId)
    if (id === null) return
    this.deliveredId = id
    const publishedAt = this.#options.clock.now()
    const event = { id, type: payload.type, payload, audience: new Set(audience), size: 0, publishedAt }
    this.#ephemeral.add(event)
    for (const poll of this.#pollsFor([event])) this.#answer(poll, event)
  }

  /** Answers the poll with the ephemeral event, if its queue receives it. */
  #answer(poll: PendingPoll, event: EphemeralEvent): void {
    // The client may have acknowledged an ephemeral event of another node, which numbers them in its own way.
    const id = event.id > poll.scannedId ? event.id : nextEphemeralId(poll.scannedId)
    if (id === null) return
    const { json } = this.#shapeAll([id === event.id ? event : { ...event, id }], poll.queue, poll.scannedId)
    poll.scannedId = id
    if (json !== '') poll.answer(json)
  }

  #pollsFor(events: readonly LoggedEvent[]): Set<PendingPoll> {
    const polls = new Set<PendingPoll>()
    for (const { audience } of events) {
      if (this.pollsByUser.size < audience.size) {
        for (const [userId, ofUser] of this.pollsByUser)
          if (audience.has(userId)) for (const poll of ofUser) polls.add(poll)
      } else for (const userId of audience) for (const poll of this.pollsByUser.get(userId) ?? []) polls.add(poll)
    }
    return polls
  }

  /**
   * Returns the queue's events after an id, as many as fit into one response, and the id of the last event that was
   * checked.
   */
  async collect(queue: EventQueue, after: number): Promise<{ events: EventsJson; scannedId: number }> {
    let scannedId = after
    while (scannedId < this.lastId) {
      const { lastId } = this
      const lastLoggedId = this.cache.lastId
      const page = await this.cache.after(scannedId)
      // If the page is empty, all ids up to the last one were skipped.
      const pageEnd = page.at(-1)?.id ?? lastLoggedId
      const end = pageEnd < lastLoggedId ? pageEnd : Math.max(pageEnd, lastId)
      const { json, cutAfter } = this.#shapeAll(this.#withEphemeral(page, queue, scannedId, end), queue, scannedId)
      scannedId = cutAfter ?? end
      if (json !== '') return { events: json, scannedId }
    }
    return { events: '', scannedId }
  }

  /** Returns the events of a page of the log and the queue's ephemeral events after `after`, in the order of their ids. */
  #withEphemeral(
    page: readonly LoggedEvent[],
    { registeredAt }: EventQueue,
    after: number,
    upTo: number,
  ): readonly LoggedEvent[] {
    const recent = this.#ephemeral.between(after, upTo, this.#options.clock.now())
    // The state that the client fetched when it registered is newer than earlier events.
    const ephemeral = recent.filter(({ publishedAt }) => publishedAt >= registeredAt)
    return ephemeral.length === 0 ? page : [...page, ...ephemeral].sort((one, other) => one.id - other.id)
  }

  /**
   * Shapes the events after `scannedId` for the queue, as many as fit into one response. If not all events fit,
   * `cutAfter` is the id of the last event that was checked.
   */
  #shapeAll(
    events: readonly LoggedEvent[],
    queue: EventQueue,
    scannedId: number,
  ): { json: EventsJson; cutAfter: number | null } {
    let shaped = ''
    let size = 0
    let count = 0
    let last = scannedId
    for (const event of events) {
      if (event.id <= scannedId) continue
      const json = this.#shapeOne(event, queue)
      if (json !== '') {
        size += sizeOf(json) + 1
        if (shaped !== '' && size > MAX_LIST_BYTES) {
          this.#options.meter?.eventsSent(count)
          return { json: shaped, cutAfter: last }
        }
        count += 1
        shaped += shaped === '' ? json : `,${json}`
      }
      last = event.id
    }
    if (count > 0) this.#options.meter?.eventsSent(count)
    return { json: shaped, cutAfter: null }
  }

  #shapeOne(event: LoggedEvent, queue: EventQueue): EventsJson {
    try {
      return shapeEvent(event, queue)
    } catch (error) {
      const { log, realmId } = this.#options
      log.error({ err: error, realmId, eventId: toLogId(event.id) }, 'An event could not be shaped and is skipped')
      return ''
    }
  }
}

/**
 * Estimates the size of short strings, at three bytes for each UTF-16 unit. Most strings are short and need not be
 * measured.
 */
const sizeOf = (json: string) => (json.length < MAX_ESTIMATED_LENGTH ? json.length * 3 : Buffer.byteLength(json))
