import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import { MAX_LIST_BYTES } from '#lib/protocol.ts'
import { findGaps, findLastEventId, type Gap, isLost } from '#storage/event-log.ts'
import type { Db } from '#storage/storage.ts'
import { shapeEvent } from '../shapes.ts'
import { type EventCache, openEventCache } from './event-cache.ts'
import type { EventsJson, PendingPoll, RealmPolls } from './pending-poll.ts'
import type { EventQueue, LoggedEvent } from './queue.ts'

/**
 * The length, in UTF-16 units, from which the size of an event is measured. The size of shorter events is estimated.
 */
const MAX_ESTIMATED_LENGTH = 1000

type RealmEventsOptions = { db: Db; log: Log; meter?: Meter | undefined; realmId: number }

/** An organization's events for its queues: the newest events of the log, and the polls that wait for later ones. */
export class RealmEvents implements RealmPolls {
  readonly cache: EventCache
  readonly pollsByUser = new Map<number, readonly PendingPoll[]>()
  deliveredId: number
  readonly #options: RealmEventsOptions
  #gaps: readonly Gap[]
  /**
   * The last id that is known to be in the log. It is higher than all ids in the cache if events could not be read or
   * ids were skipped.
   */
  #countedId: number

  private constructor(options: RealmEventsOptions, gaps: readonly Gap[], startId: number) {
    this.#options = options
    this.#gaps = gaps
    this.#countedId = startId
    this.deliveredId = startId
    this.cache = openEventCache({ ...options, startId })
  }

  /** Starts after the last event that the log holds now. */
  static async open(options: RealmEventsOptions): Promise<RealmEvents> {
    const gaps = await findGaps(options.db, options.realmId)
    return new RealmEvents(options, gaps, await findLastEventId(options.db, options.realmId))
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
   * Returns true if the queue's client may acknowledge the event: it exists, and the client has acknowledged no later
   * event.
   */
  isAcknowledgeable(queue: EventQueue, id: number): boolean {
    const isInRange = id >= queue.acknowledgedId && id <= Math.max(this.cache.lastId, this.#countedId)
    return isInRange && !isLost(this.#gaps, id)
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
    this.deliveredId = this.cache.lastId
    for (const poll of this.#pollsFor(events)) {
      const { json } = this.#shapeAll(events, poll.queue, poll.scannedId)
      // The next poll acknowledges the events of this response, and then receives the events that did not fit.
      poll.scannedId = Math.max(poll.scannedId, this.cache.lastId)
      if (json !== '') poll.answer(json)
    }
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
    while (scannedId < this.cache.lastId) {
      const { lastId } = this.cache
      const page = await this.cache.after(scannedId)
      const { json, cutAfter } = this.#shapeAll(page, queue, scannedId)
      // If the page is empty, all ids up to the last one were skipped.
      scannedId = cutAfter ?? page.at(-1)?.id ?? lastId
      if (json !== '') return { events: json, scannedId }
    }
    return { events: '', scannedId }
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
      log.error({ err: error, realmId, eventId: event.id }, 'An event could not be shaped and is skipped')
      return ''
    }
  }
}

/**
 * Estimates the size of short strings, at three bytes for each UTF-16 unit. Most strings are short and need not be
 * measured.
 */
const sizeOf = (json: string) => (json.length < MAX_ESTIMATED_LENGTH ? json.length * 3 : Buffer.byteLength(json))
