import type { Clock } from '#lib/clock.ts'
import type { Deferred } from '#lib/deferred.ts'
import { refusal } from '#lib/errors.ts'
import type { Log } from '#lib/log.ts'
import type { Meter } from '#lib/meter.ts'
import type { Emission, Storage } from '#storage/storage.ts'
import { type EventQueue, readLastEventId, toEventId, toLogId } from './queues/event-queue.ts'
import { type LogReader, openLogReader } from './queues/log-reader.ts'
import {
  type EventsJson,
  type HeartbeatTimer,
  openHeartbeatTimer,
  PendingPoll,
  toHeartbeat,
} from './queues/pending-poll.ts'
import { DEFAULT_LIFESPAN, QueueRegistry } from './queues/queue-registry.ts'
import { RealmEvents } from './queues/realm-events.ts'

// Delivers committed events to the clients that wait for them in this process. A poll is answered when an event for
// its queue is committed by any node, and each client receives the events of its queue in order and without gaps.
// Ephemeral events, which nodes publish without a commit, are sent between them, and missed by clients that poll late.

export const badEventQueueId = refusal('BAD_EVENT_QUEUE_ID', 400, 'Bad event queue ID: {queueId}', {
  field: 'queue_id',
  extras: ({ queueId }: { queueId: string }) => ({ queue_id: queueId }),
})

export type Poll = {
  queueId: string
  userId: number
  /** The id of the last event that the client has received; null if the client sends none. */
  lastEventId: number | null
  blocks: boolean
  /** Throws or rejects if the credentials of the poll are no longer valid. */
  reauthenticate: () => unknown
}

type Organization = {
  readonly events: RealmEvents
  readonly reader: LogReader
  /** Ends the reception of its events. */
  readonly close: () => void
  /** The time of the last registration, or of the first poll. */
  usedAt: number
}

type EventHubOptions = { storage: Storage; clock: Clock; log: Log; meter?: Meter | undefined }

/** Changes to these tables may invalidate the credentials of pending polls. */
const CREDENTIAL_TABLES = ['users', 'apiKeys', 'sessions', 'realms'] as const

/** Delivers events to the clients that poll for them. */
export class EventHub {
  readonly #options: EventHubOptions
  readonly #registry: QueueRegistry
  readonly #heartbeats: HeartbeatTimer
  readonly #organizations = new Map<number, Promise<Organization>>()
  readonly #opened = new Map<number, Organization>()
  /**
   * For each queue, the id of the last event that was checked when there was nothing to send. Clients whose polls never
   * wait need it: an empty response gives them no id to send with their next poll.
   */
  readonly #scannedInVain = new WeakMap<EventQueue, number>()
  #isClosed = false

  constructor(options: EventHubOptions) {
    const { storage, clock, log } = options
    this.#options = options
    this.#heartbeats = openHeartbeatTimer(clock)
    this.#registry = new QueueRegistry({
      storage,
      clock,
      log,
      onClaimed: (queue) => {
        for (const poll of this.#pollsOf(queue)) poll.sendHeartbeat()
      },
      onDeleted: (queue) => this.#rejectPollsOf(queue),
      onSwept: (realmIds) => this.#closeUnused(realmIds),
    })
    this.#listen()
  }

  #listen(): void {
    const { storage } = this.#options
    storage.onCommit(({ changed, userRows, emittedIn }) => {
      for (const [realmId, lastId] of emittedIn) void this.#opened.get(realmId)?.reader.run(lastId)
      for (const table of CREDENTIAL_TABLES) if (changed.has(table)) void this.#reauthenticateAll(userRows.get(table))
    })
    storage.onPublished((emission) => void this.#publish(emission))
    storage.onOutsideCommit(() => {
      for (const { events, reader } of this.#opened.values()) {
        void reader.run()
        // If the disk was full at the start, the gap is written later.
        void events.refreshGaps()
      }
      void this.#reauthenticateAll()
      if (storage.isShared) void this.#registry.detectDeleted(this.#allPolls().map(({ queue }) => queue))
    })
  }

  /**
   * Returns the new events of the queue. If there are none, a blocking poll waits for the next event. If none happens
   * in time, it receives a heartbeat.
   */
  async poll(poll: Poll): Promise<EventsJson | Deferred<EventsJson>> {
    const { storage } = this.#options
    const queue = this.#registry.peek(poll.queueId) ?? (await this.#registry.find(poll.queueId))
    if (queue === null || queue.userId !== poll.userId) throw badEventQueueId({ queueId: poll.queueId })
    const organization = this.#opened.get(queue.realmId) ?? (await this.#organizationOf(queue.realmId))
    const acknowledgedId =
      poll.lastEventId === null
        ? toEventId(queue.acknowledgedId)
        : await this.#acknowledge(queue, poll.lastEventId, organization)
    this.#registry.recordPoll(queue)
    const { events, reader } = organization
    // The response must contain the events that other nodes committed before this poll. A poll that waits receives them
    // soon in any case.
    if (storage.isShared && !(poll.blocks && storage.db.commitCounters.isComplete)) await reader.run()
    // The response must also contain the events that this node committed before this poll.
    if (reader.running !== null) await reader.running

    let scannedId = Math.max(acknowledgedId, this.#scannedInVain.get(queue) ?? 0)
    // Events may arrive during a search. Nothing can arrive between the last search and the start of the wait.
    while (scannedId < events.lastId) {
      const found = await events.collect(queue, scannedId)
      if (found.events !== '') return found.events
      scannedId = found.scannedId
      this.#scannedInVain.set(queue, scannedId)
    }
    if (!poll.blocks) return ''
    if (this.#isClosed) return toHeartbeat(scannedId)
    if (this.#registry.isDeleted(queue)) throw badEventQueueId({ queueId: poll.queueId })
    return this.#wait(events, poll, queue, scannedId)
  }

  /**
   * Makes this process receive the events of the organization. Clients that register afterwards also receive the
   * ephemeral events before their first poll.
   */
  async open(realmId: number): Promise<void> {
    const organization = await this.#organizationOf(realmId)
    organization.usedAt = this.#options.clock.now()
  }

  /** Deletes the queue. A queue of another user is refused like a missing one. */
  async deleteQueue(queueId: string, userId: number): Promise<void> {
    const queue = await this.#registry.find(queueId)
    if (queue === null || queue.userId !== userId) throw badEventQueueId({ queueId })
    await this.#registry.delete([queueId])
    this.#rejectPollsOf(queue)
  }

  /**
   * Ends the waiting polls of an organization that leaves this database. Its clients register again, at the new one.
   */
  evict(realmId: number): void {
    const polls = this.#opened.get(realmId)?.events.pollsByUser.values() ?? []
    for (const poll of [...polls].flat()) poll.reject(badEventQueueId({ queueId: poll.queue.id }))
  }

  /** Returns the numbers of queues in memory and of polls that wait for an event. */
  counts(): { queues: number; waitingPolls: number } {
    let waitingPolls = 0
    for (const { events } of this.#opened.values())
      for (const polls of events.pollsByUser.values()) waitingPolls += polls.length
    return { queues: this.#registry.size, waitingPolls }
  }

  /** Drops everything from memory, because all rows are about to be deleted. */
  async reset(): Promise<void> {
    this.#answerAll()
    await this.#registry.reset()
    for (const { close } of this.#opened.values()) close()
    this.#organizations.clear()
    this.#opened.clear()
  }

  /** Answers all pending polls, and writes the progress of the clients. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#answerAll()
    for (const { close } of this.#opened.values()) close()
    await Promise.all(Array.from(this.#opened.values(), ({ reader }) => reader.running))
    await this.#registry.close()
  }

  #organizationOf(realmId: number): Promise<Organization> {
    let organization = this.#organizations.get(realmId)
    if (organization === undefined) {
      organization = this.#openOrganization(realmId)
      this.#organizations.set(realmId, organization)
      organization.catch(() => this.#organizations.delete(realmId))
    }
    return organization
  }

  async #openOrganization(realmId: number): Promise<Organization> {
    const { storage, clock, log, meter } = this.#options
    const feed = await storage.followEvents(realmId)
    const events = await RealmEvents.open({ db: storage.db, clock, log, meter, realmId, feed }).catch((error) => {
      feed.close()
      throw error
    })
    const reader = openLogReader({ clock, log, realmId, read: (upTo) => this.#readLog(events, upTo) })
    const close = () => {
      reader.stop()
      feed.close()
    }
    const organization = { events, reader, close, usedAt: clock.now() }
    this.#opened.set(realmId, organization)
    // An event may have been committed while the last id was read.
    void reader.run()
    return organization
  }

  /**
   * Stops receiving the events of organizations without clients at this process; `realmIds` are those with queues in memory.
   * A client that has registered may poll for the first time later.
   */
  #closeUnused(realmIds: ReadonlySet<number>): void {
    const before = this.#options.clock.now() - DEFAULT_LIFESPAN
    for (const [realmId, { close, reader, usedAt }] of this.#opened) {
      if (realmIds.has(realmId) || usedAt > before || reader.running !== null) continue
      close()
      this.#organizations.delete(realmId)
      this.#opened.delete(realmId)
    }
  }

  async #readLog(events: RealmEvents, upTo: number): Promise<void> {
    for (let isRead = false; !isRead; ) {
      const { fresh, isAtEnd } = await events.cache.pull(upTo)
      // The commit that invalidated credentials may have been missed.
      if (!this.#options.storage.db.commitCounters.isComplete) await this.#reauthenticateAll()
      events.deliver(fresh)
      isRead = isAtEnd
    }
  }

  async #publish(emission: Emission): Promise<void> {
    const organization = this.#opened.get(emission.realmId)
    if (organization === undefined) return
    const { events, reader } = organization
    // The commit that invalidated credentials may have been missed.
    if (!this.#options.storage.db.commitCounters.isComplete) await this.#reauthenticateAll()
    // Events that were committed before come first.
    if (reader.running !== null) await reader.running
    events.publish(emission)
  }

  /**
   * Records the id of the last event that the client has received, and returns it as an event id. Refuses an id that
   * never existed, or that is lower than the previous one.
   */
  async #acknowledge(queue: EventQueue, lastEventId: number, { events, reader }: Organization): Promise<number> {
    const id = readLastEventId(lastEventId, queue)
    if (toLogId(id) > toLogId(events.cache.lastId)) {
      await reader.run()
      await events.refreshCount()
    }
    if (!events.isAcknowledgeable(queue, id)) throw badEventQueueId({ queueId: queue.id })
    queue.acknowledgedId = toLogId(id)
    return id
  }

  #wait(events: RealmEvents, poll: Poll, queue: EventQueue, scannedId: number): Deferred<EventsJson> {
    const pending = new PendingPoll({
      queue,
      scannedId,
      realmPolls: events,
      reauthenticate: poll.reauthenticate,
      onClosed: this.#onPollClosed,
    })
    for (const older of events.pollsOf(queue)) older.sendHeartbeat()
    events.addPoll(pending)
    this.#heartbeats.add(pending)
    this.#registry.hold(queue)
    // The credentials may have become invalid since the request was authenticated.
    void this.#reauthenticate(pending)
    return pending.response
  }

  /**
   * Called when a poll is closed. All polls share this function to save memory, because there are as many polls as
   * clients.
   */
  readonly #onPollClosed = (poll: PendingPoll): void => {
    poll.realmPolls.removePoll(poll)
    this.#heartbeats.remove(poll)
    this.#registry.release(poll.queue)
  }

  #pollsOf(queue: EventQueue): PendingPoll[] {
    return this.#opened.get(queue.realmId)?.events.pollsOf(queue) ?? []
  }

  /** Returns the polls of these users; all polls if they are omitted. */
  #allPolls(userIds?: readonly number[]): PendingPoll[] {
    return [...this.#opened.values()].flatMap(({ events: { pollsByUser } }) =>
      userIds === undefined ? [...pollsByUser.values()].flat() : userIds.flatMap((id) => pollsByUser.get(id) ?? []),
    )
  }

  #rejectPollsOf(queue: EventQueue): void {
    for (const poll of this.#pollsOf(queue)) poll.reject(badEventQueueId({ queueId: queue.id }))
  }

  #answerAll(): void {
    for (const poll of this.#allPolls()) poll.sendHeartbeat()
  }

  async #reauthenticateAll(userIds?: readonly number[]): Promise<void> {
    await Promise.all(this.#allPolls(userIds).map((poll) => this.#reauthenticate(poll)))
  }

  /** Rejects the poll if its credentials are no longer valid. Returns a promise if a query is needed. */
  #reauthenticate(poll: PendingPoll): unknown {
    const reject = (error: unknown) => poll.reject(error)
    try {
      const result = poll.reauthenticate()
      return result instanceof Promise ? result.catch(reject) : null
    } catch (error) {
      return reject(error)
    }
  }
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    hub: EventHub
  }
}
