/** The priority of a request when the server is busy: `urgent` ones precede nearly all others, and `polls` come last. */
export type Priority = 'urgent' | 'normal' | 'polls'

/** A request that waits to be handled. */
export type QueuedRequest = {
  /** Returns true if the client has disconnected. */
  isGone(): boolean
  /** Handles the request. `Admission.release` must be called when the work is done. */
  run(): void
  /** Responds that the server is busy. */
  refuse(): void
}

export type AdmissionLimits = {
  /** The number of requests handled at a time, without urgent ones and polls that wait for events. */
  maxInWork: number
  /** The number of urgent, and of normal, requests that may wait. */
  maxWaiting: number
  /** The number of polls that may wait. */
  maxWaitingPolls: number
  /** The number of polls that wait while nothing else does; each of them needs 13 KB. */
  maxIdlePolls: number
  /** Further normal requests are refused while the oldest one has waited longer than this, in milliseconds. */
  maxWait: number
}

export const defaultLimits: AdmissionLimits = {
  maxInWork: 1000,
  maxWaiting: 1000,
  maxWaitingPolls: 20_000,
  maxIdlePolls: 1000,
  maxWait: 2000,
}

/** The time, and a way to run code later in the same turn of the event loop. */
export type Loop = { now(): number; soon(step: () => void): void }

/** Decides in which order requests are handled, and refuses those that the server cannot handle in time. */
export type Admission = {
  /** Runs the request now, queues it, or refuses it. */
  admit(request: QueuedRequest, priority: Priority): void
  /** Must be called once for each request that was run and is not urgent. */
  release(): void
  /** Must be called for each connection that is accepted. The event loop accepts one in each turn. */
  noteConnection(): void
}

/** The time for which a turn of the event loop handles requests before it reads new ones, in milliseconds. */
const TURN = 50

/** The same while clients are connecting. */
const TURN_WHILE_CONNECTING = 5

/** While normal requests wait, one in this many requests is a poll. */
const POLLS_SHARE = 8

/** While urgent requests wait, one in this many requests is another one, so that urgent ones cannot block them. */
const OTHERS_SHARE = 8

/** The number of requests that are scheduled in a row. */
const MAX_STEPS = 64

const system: Loop = { now: () => performance.now(), soon: (step) => void setImmediate(step) }

/**
 * Opens the queue of requests. A request runs at once while the event loop keeps up. When a turn has handled requests for as
 * long as it may, further ones wait until the loop has read everything that arrived meanwhile. So the server stays responsive,
 * and the number and age of the waiting requests show how far it is behind.
 */
export function openAdmission(limits: Partial<AdmissionLimits> = {}, loop: Loop = system): Admission {
  const { maxInWork, maxWaiting, maxWaitingPolls, maxIdlePolls, maxWait } = { ...defaultLimits, ...limits }
  const waiting = { urgent: new Queue(maxWaiting), normal: new Queue(maxWaiting), polls: new Queue(maxWaitingPolls) }
  let inWork = 0
  let turnEndsAt: number | null = null
  let isConnecting = false
  let steps = 0
  let picks = 0
  let urgentPicks = 0

  /** Returns true if this turn of the event loop may handle another request. */
  function hasTime(now: number): boolean {
    if (turnEndsAt !== null) return now < turnEndsAt
    turnEndsAt = now + (isConnecting ? TURN_WHILE_CONNECTING : TURN)
    isConnecting = false
    loop.soon(endTurn)
    return true
  }

  function endTurn(): void {
    turnEndsAt = null
  }

  function mayRunNow(priority: Priority, now: number): boolean {
    if (waiting.urgent.length > 0) return false
    if (priority !== 'urgent') {
      if (inWork >= maxInWork || waiting.normal.length > 0) return false
      if (priority === 'polls' && waiting.polls.length > 0) return false
    }
    return hasTime(now)
  }

  function isFull(queue: Queue, now: number): boolean {
    return queue.isFull || (queue === waiting.normal && queue.waitOfFirst(now) > maxWait)
  }

  function run(request: QueuedRequest, priority: Priority): void {
    if (priority !== 'urgent') inWork += 1
    request.run()
  }

  /**
   * Runs the oldest poll if more wait than are worth their memory, and nothing else waits. One turn of the event loop may
   * read thousands of polls of clients that connect.
   */
  function runExcessPoll(): void {
    if (waiting.polls.length <= maxIdlePolls || inWork >= maxInWork) return
    if (waiting.urgent.length + waiting.normal.length > 0) return
    const request = waiting.polls.take()
    if (!request.isGone()) run(request, 'polls')
  }

  const hasRunnableOthers = () => inWork < maxInWork && waiting.normal.length + waiting.polls.length > 0

  const hasRunnable = () => waiting.urgent.length > 0 || hasRunnableOthers()

  function nextPriority(): Priority {
    if (waiting.urgent.length > 0) {
      urgentPicks += 1
      if (urgentPicks % OTHERS_SHARE !== 0 || !hasRunnableOthers()) return 'urgent'
    }
    picks += 1
    if (waiting.normal.length === 0) return 'polls'
    return waiting.polls.length > 0 && picks % POLLS_SHARE === 0 ? 'polls' : 'normal'
  }

  /** Each step is a separate task, so that the work of a request right after its first await counts in its time. */
  function step(): void {
    steps -= 1
    if (hasRunnable() && hasTime(loop.now())) {
      const priority = nextPriority()
      const request = waiting[priority].take()
      if (!request.isGone()) run(request, priority)
    }
    if (steps === 0) schedule()
  }

  /** Schedules a step for each waiting request that may run. */
  function schedule(): void {
    if (!hasRunnable()) return
    const count = Math.min(MAX_STEPS, waiting.urgent.length + waiting.normal.length + waiting.polls.length)
    for (; steps < count; steps += 1) loop.soon(step)
  }

  return {
    admit(request, priority) {
      const now = loop.now()
      if (mayRunNow(priority, now)) return run(request, priority)
      const queue = waiting[priority]
      if (isFull(queue, now)) return request.refuse()
      queue.add(request, now)
      if (priority === 'polls') runExcessPoll()
      schedule()
    },
    release() {
      inWork -= 1
      schedule()
    },
    noteConnection() {
      isConnecting = true
    },
  }
}

/** Waiting requests in the order of their arrival. */
class Queue {
  readonly #max: number
  #entries: { request: QueuedRequest; since: number }[] = []
  #first = 0

  constructor(max: number) {
    this.#max = max
  }

  get length(): number {
    return this.#entries.length - this.#first
  }

  get isFull(): boolean {
    return this.length >= this.#max
  }

  /** Returns milliseconds; 0 if the queue is empty. */
  waitOfFirst(now: number): number {
    const entry = this.#entries[this.#first]
    return entry === undefined ? 0 : now - entry.since
  }

  add(request: QueuedRequest, since: number): void {
    this.#entries.push({ request, since })
  }

  /** Returns the first request. The queue must not be empty. */
  take(): QueuedRequest {
    const { request } = this.#entries[this.#first] as { request: QueuedRequest }
    this.#first += 1
    // Entries before the first are dropped together, which is cheaper than one by one.
    if (this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return request
  }
}
