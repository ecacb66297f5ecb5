import { refusal } from '../../platform/errors/refusal.ts'
import { MAX_LIST_BYTES } from '../../platform/errors/response-limit.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { Deferred } from '../../platform/runtime/deferred.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { findGaps, type Gap, isLost } from '../log/skip-ids.ts'
import { shapeEvent } from '../shapes/shape-event.ts'
import { type EventCache, openEventCache } from './event-cache.ts'
import { openHeartbeatTimer } from './heartbeat-timer.ts'
import { type LogReader, openLogReader } from './log-reader.ts'
import { type EventsJson, PendingPoll, type RealmPolls, toHeartbeat } from './pending-poll.ts'
import { findLastEventId } from './queries.ts'
import { BEFORE_FIRST_EVENT, type EventQueue, type LoggedEvent } from './queue.ts'
import { openQueueRegistry } from './queue-registry.ts'

export const badEventQueueId = refusal(
  'BAD_EVENT_QUEUE_ID',
  400,
  'Bad event queue ID: {queueId}',
  ({ queueId }: { queueId: string }) => ({ queue_id: queueId }),
)

/** What a poll asks for. */
export type Poll = {
  queueId: string
  userId: number
  /** Up to where the client has everything; null where it does not say. */
  lastEventId: number | null
  blocks: boolean
  /** Throws, now or later, when the credentials of the poll no longer hold. */
  reauthenticate: () => unknown
}

/** Gives events to those who poll for them. */
export type EventHub = {
  /** What is new in the queue; waits for it where the poll blocks, and answers a heartbeat when nothing comes. */
  poll(poll: Poll): Promise<EventsJson | Deferred<EventsJson>>
  /** Ends a queue of the user's. */
  deleteQueue(queueId: string, userId: number): Promise<void>
  /** Forgets everything: all rows are about to be deleted. */
  reset(): Promise<void>
  /** Answers everybody who waits, and writes how far clients are. */
  close(): Promise<void>
}

type Organization = RealmPolls & {
  toldId: number
  readonly tail: EventCache
  gaps: readonly Gap[]
  /** Up to where the log has ids, as far as is known; beyond the tail where events were not read, or ids skipped. */
  countedId: number
  readonly pump: LogReader
}

type Options = { storage: Storage; clock: Clock; log: Log }

/** UTF-16 units up to which the size of an event is estimated. */
const SHORT = 1000

/** Tables whose changes may end somebody's right to hear. */
const STANDING = ['users', 'apiKeys', 'sessions', 'realms'] as const

export function openEventHub({ storage, clock, log }: Options): EventHub {
  const keeper = openQueueRegistry({
    storage,
    clock,
    log,
    onTaken(queue) {
      for (const waiter of waitersOf(queue)) waiter.sendHeartbeat()
    },
    onEnded(queue) {
      for (const waiter of waitersOf(queue)) waiter.reject(badEventQueueId({ queueId: queue.id }))
    },
  })
  const heartbeats = openHeartbeatTimer(clock)
  const organizations = new Map<number, Promise<Organization>>()
  const opened = new Map<number, Organization>()
  /** Up to where nothing lies for a queue beyond what its client has: clients that never wait have no id to say so by. */
  const nothingUpTo = new WeakMap<EventQueue, number>()
  let isClosed = false

  storage.onCommit(({ changed, emittedIn }) => {
    for (const realmId of emittedIn) void opened.get(realmId)?.pump.run()
    if (STANDING.some((table) => changed.has(table))) void recheckAll()
  })
  storage.onOutsideCommit(() => {
    for (const [realmId, organization] of opened) {
      void organization.pump.run()
      // Ids are skipped late where the disk was full at the start.
      void refreshGaps(organization, realmId)
    }
    void recheckAll()
    if (storage.isShared) void keeper.detectDeleted(allWaiters().map(({ queue }) => queue))
  })

  const waitersOf = (queue: EventQueue) =>
    (opened.get(queue.realmId)?.pollsByUser.get(queue.userId) ?? []).filter((waiter) => waiter.queue.id === queue.id)
  const allWaiters = () => [...opened.values()].flatMap(({ pollsByUser: waiters }) => [...waiters.values()].flat())

  function organizationOf(realmId: number): Promise<Organization> {
    let organization = organizations.get(realmId)
    if (organization === undefined) {
      organization = openOrganization(realmId)
      organizations.set(realmId, organization)
      organization.catch(() => organizations.delete(realmId))
    }
    return organization
  }

  async function openOrganization(realmId: number): Promise<Organization> {
    const gaps = await findGaps(storage.db, realmId)
    const startId = await findLastEventId(storage.db, realmId)
    const tail = openEventCache({ db: storage.db, log, realmId, startId })
    const pump = openLogReader({ clock, log, realmId, look: () => readOn(organization) })
    const organization: Organization = { tail, gaps, countedId: startId, toldId: startId, pollsByUser: new Map(), pump }
    opened.set(realmId, organization)
    // A commit may have come while the id was read.
    void pump.run()
    return organization
  }

  async function readOn(organization: Organization): Promise<void> {
    for (let isRead = false; !isRead; ) {
      const { fresh, isAtEnd } = await organization.tail.pull()
      // What ended somebody's right may have gone unheard.
      if (!storage.db.commitCounters.isComplete) await recheckAll()
      tellWaiters(organization, fresh)
      isRead = isAtEnd
    }
  }

  async function refreshGaps(organization: Organization, realmId: number): Promise<void> {
    try {
      organization.gaps = await findGaps(storage.db, realmId)
    } catch (error) {
      log.warn({ err: error, realmId }, 'The ids that were skipped could not be read')
    }
  }

  /** Looks how far the log goes in truth: what a client has may have come from another node before this one heard of it. */
  async function lookAhead(organization: Organization, realmId: number): Promise<void> {
    await organization.pump.run()
    organization.gaps = await findGaps(storage.db, realmId)
    organization.countedId = await findLastEventId(storage.db, realmId)
  }

  function tellWaiters(organization: Organization, events: readonly LoggedEvent[]) {
    const { tail, pollsByUser: waiters } = organization
    organization.toldId = tail.lastId
    const concerned = new Set<PendingPoll>()
    for (const event of events) {
      if (waiters.size < event.audience.size) {
        for (const [userId, waiting] of waiters)
          if (event.audience.has(userId)) for (const one of waiting) concerned.add(one)
      } else for (const userId of event.audience) for (const one of waiters.get(userId) ?? []) concerned.add(one)
    }
    for (const waiter of concerned) {
      const { json } = shapeAll(events, waiter.queue, waiter.scannedId)
      // What did not fit comes with the next poll, which says itself up to where its client has everything.
      waiter.scannedId = Math.max(waiter.scannedId, tail.lastId)
      if (json !== '') waiter.answer(json)
    }
  }

  /**
   * Of the events after the one that was considered last, those that the queue's client gets, as far as they fit into one
   * answer; and the last event that was considered, where further ones did not fit.
   */
  function shapeAll(
    events: readonly LoggedEvent[],
    queue: EventQueue,
    considered: number,
  ): { json: EventsJson; cutAfter: number | null } {
    let shaped = ''
    let size = 0
    let last = considered
    for (const event of events) {
      if (event.id <= considered) continue
      const json = shapeOne(event, queue)
      if (json !== '') {
        size += sizeOf(json) + 1
        if (shaped !== '' && size > MAX_LIST_BYTES) return { json: shaped, cutAfter: last }
        shaped += shaped === '' ? json : `,${json}`
      }
      last = event.id
    }
    return { json: shaped, cutAfter: null }
  }

  function shapeOne(event: LoggedEvent, queue: EventQueue): EventsJson {
    try {
      return shapeEvent(event, queue)
    } catch (error) {
      log.error(
        { err: error, realmId: queue.realmId, eventId: event.id },
        'An event could not be shaped and is skipped',
      )
      return ''
    }
  }

  /** What lies in the log for the queue after an event, and up to where it was looked through. */
  async function collect({ tail }: Organization, queue: EventQueue, after: number) {
    let considered = after
    while (considered < tail.lastId) {
      const { lastId } = tail
      const page = await tail.after(considered)
      const { json, cutAfter } = shapeAll(page, queue, considered)
      // Ids may have been skipped up to the last.
      considered = cutAfter ?? page.at(-1)?.id ?? lastId
      if (json !== '') return { events: json, considered }
    }
    return { events: '', considered }
  }

  function wait(organization: Organization, poll: Poll, queue: EventQueue, considered: number): Deferred<EventsJson> {
    const { pollsByUser: waiters } = organization
    const waiter = new PendingPoll({
      queue,
      considered,
      waiting: organization,
      reauthenticate: poll.reauthenticate,
      onOver,
    })
    for (const older of waiters.get(queue.userId) ?? []) if (older.queue.id === queue.id) older.sendHeartbeat()
    const others = waiters.get(queue.userId)
    waiters.set(queue.userId, others === undefined ? [waiter] : [...others, waiter])
    heartbeats.add(waiter)
    keeper.hold(queue)
    // Credentials may have ended since the poll proved them.
    void recheck(waiter)
    return waiter.events
  }

  function onOver(waiter: PendingPoll) {
    const { queue, realmPolls: waiting } = waiter
    const { pollsByUser: waiters } = waiting
    const all = waiters.get(queue.userId) ?? []
    if (all.length > 1) {
      waiters.set(
        queue.userId,
        all.filter((other) => other !== waiter),
      )
    } else if (all[0] === waiter) waiters.delete(queue.userId)
    heartbeats.remove(waiter)
    keeper.release(queue)
  }

  async function recheckAll(): Promise<void> {
    await Promise.all(allWaiters().map(recheck))
  }

  /** Returns what is to be waited for, where something has to be looked up. */
  function recheck(waiter: PendingPoll): unknown {
    const refuse = (error: unknown) => waiter.reject(error)
    try {
      const standing = waiter.reauthenticate()
      return standing instanceof Promise ? standing.catch(refuse) : null
    } catch (error) {
      return refuse(error)
    }
  }

  function answerAll() {
    for (const waiter of allWaiters()) waiter.sendHeartbeat()
  }

  return {
    async poll(poll) {
      const queue = keeper.peek(poll.queueId) ?? (await keeper.find(poll.queueId))
      if (queue === null || queue.userId !== poll.userId) throw badEventQueueId({ queueId: poll.queueId })
      const organization = opened.get(queue.realmId) ?? (await organizationOf(queue.realmId))
      if (poll.lastEventId !== null) {
        const id = poll.lastEventId === BEFORE_FIRST_EVENT ? queue.startId : poll.lastEventId
        if (id > organization.tail.lastId) await lookAhead(organization, queue.realmId)
        acknowledge(queue, id, organization)
      }
      keeper.recordPoll(queue)
      // Whoever was answered by another node before this poll hears of it now, unless the poll waits and hears it soon.
      if (storage.isShared && !(poll.blocks && storage.db.commitCounters.isComplete)) await organization.pump.run()
      // Whoever was answered a write before this poll hears of it now.
      if (organization.pump.running !== null) await organization.pump.running

      let considered = Math.max(queue.acknowledgedId, nothingUpTo.get(queue) ?? 0)
      // News may come during a look; from the last one to the waiting nothing can come between.
      while (considered < organization.tail.lastId) {
        const found = await collect(organization, queue, considered)
        if (found.events !== '') return found.events
        considered = found.considered
        nothingUpTo.set(queue, considered)
      }
      if (!poll.blocks) return ''
      if (isClosed) return toHeartbeat(considered)
      if (keeper.isDeleted(queue)) throw badEventQueueId({ queueId: poll.queueId })
      return wait(organization, poll, queue, considered)
    },
    async deleteQueue(queueId, userId) {
      const queue = await keeper.find(queueId)
      if (queue === null || queue.userId !== userId) throw badEventQueueId({ queueId })
      await keeper.delete([queueId])
      for (const waiter of waitersOf(queue)) waiter.reject(badEventQueueId({ queueId }))
    },
    async reset() {
      answerAll()
      await keeper.reset()
      for (const { pump } of opened.values()) pump.stop()
      organizations.clear()
      opened.clear()
    },
    async close() {
      isClosed = true
      answerAll()
      for (const { pump } of opened.values()) pump.stop()
      await Promise.all(Array.from(opened.values(), ({ pump }) => pump.running))
      await keeper.close()
    },
  }
}

/** Short texts, which most are, need not be measured: they count as if all of their characters took three bytes. */
const sizeOf = (json: string) => (json.length < SHORT ? json.length * 3 : Buffer.byteLength(json))

/** Notes up to where the client has everything; an id that it had passed, or that never was, is no place in this queue. */
function acknowledge(queue: EventQueue, id: number, { tail, countedId, gaps }: Organization): void {
  const isKnown = id >= queue.acknowledgedId && id <= Math.max(tail.lastId, countedId)
  if (!isKnown || isLost(gaps, id)) throw badEventQueueId({ queueId: queue.id })
  queue.acknowledgedId = id
}
