/**
 * The priority of a request when the server is busy: `urgent` ones precede nearly all others, and `polls` come last.
 */
export type Priority = 'urgent' | 'normal' | 'polls'

/** A request that waits to be handled. */
export type QueuedRequest = {
  /** Returns whether the client has disconnected. */
  isGone(): boolean
  /** Returns whether its sender has recently caused so much work that normal requests of others come first. */
  isHeavy(): boolean
  /** Handles the request. `Admission.release` must be called when the work is done. */
  run(): void
  /** Responds that the server is busy. */
  refuse(): void
}

export type AdmissionLimits = {
  /** The maximum number of requests handled at a time. Urgent requests and polls that wait for events do not count. */
  maxInWork: number
  /** The maximum number of waiting urgent requests, and also of waiting normal and of waiting heavy requests. */
  maxWaiting: number
  /** The maximum number of polls that wait to be handled. */
  maxWaitingPolls: number
  /** The maximum number of polls that wait to be handled while no other request waits. Each of them needs 13 KB. */
  maxIdlePolls: number
  /** Further normal or heavy requests are refused while the oldest such one has waited longer than this, in milliseconds. */
  maxWait: number
}

const defaultLimits: AdmissionLimits = {
  maxInWork: 1000,
  maxWaiting: 1000,
  maxWaitingPolls: 20_000,
  maxIdlePolls: 1000,
  maxWait: 2000,
}

/** The time, and a way to run code later in the same turn of the event loop. */
type Loop = { now(): number; soon(step: () => void): void }

/** Decides in which order requests are handled, and refuses those that the server cannot handle in time. */
export type Admission = {
  /** Runs the request now, queues it, or refuses it. */
  admit(request: QueuedRequest, priority: Priority): void
  /** Must be called once for each request that was run and is not urgent. */
  release(): void
  /** Returns the number of requests in progress, and of waiting ones by their class. */
  load(): { inProgress: number; waiting: Readonly<Record<Class, number>> }
  /** Must be called for each connection that is accepted. The event loop accepts one in each turn. */
  noteConnection(): void
}

/** The time for which a turn of the event loop handles requests before it reads new ones, in milliseconds. */
const TURN = 10

/** The value of TURN while clients are connecting. */
const TURN_WHILE_CONNECTING = 5

/**
 * After this many turns in a row with a new connection, each turn handles one request, until no more clients connect:
 * connections that wait to be accepted are not in any queue, so that their requests are not refused in time.
 */
const MAX_CONNECTING_TURNS = 20

/** While requests of a class wait, one in this many requests belongs to a lower class, so that none is blocked. */
const LOWER_SHARE = 8

/** The classes of waiting requests, in the order in which they are handled. Heavy requests are normal ones of busy senders. */
type Class = Priority | 'heavy'
const OTHERS: readonly Class[] = ['normal', 'heavy', 'polls']

/** The maximum number of requests that are scheduled in a row. */
const MAX_STEPS = 64

const system: Loop = { now: () => performance.now(), soon: (step) => void setImmediate(step) }

/** Waiting requests, oldest first. */
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

  /** Returns how long the first request has waited, in milliseconds; 0 if the queue is empty. */
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

/**
 * The queue of requests. A request runs at once while the event loop keeps up. When a turn has handled requests for as
 * long as it may, further requests wait until the loop has read everything that has arrived. So the server stays
 * responsive, and the number and age of the waiting requests show how far it is behind.
 */
class RequestQueue implements Admission {
  readonly #limits: AdmissionLimits
  readonly #loop: Loop
  readonly #urgent: Queue
  readonly #normal: Queue
  readonly #heavy: Queue
  readonly #polls: Queue
  #inWork = 0
  #turnEndsAt: number | null = null
  #isConnecting = false
  #connectingTurns = 0
  #steps = 0
  #picks = 0
  #lowerPicks = 0
  #urgentPicks = 0

  constructor(limits: AdmissionLimits, loop: Loop) {
    this.#limits = limits
    this.#loop = loop
    this.#urgent = new Queue(limits.maxWaiting)
    this.#normal = new Queue(limits.maxWaiting)
    this.#heavy = new Queue(limits.maxWaiting)
    this.#polls = new Queue(limits.maxWaitingPolls)
  }

  admit(request: QueuedRequest, priority: Priority): void {
    const now = this.#loop.now()
    // The sender is only looked up when it matters.
    if (this.#heavy.length === 0 && this.#mayRunNow(priority, now)) return this.#run(request, priority)
    const isHeavy = priority === 'normal' && request.isHeavy()
    if (!isHeavy && this.#heavy.length > 0 && this.#mayRunNow(priority, now)) return this.#run(request, priority)
    const queue = this.#queueOf(isHeavy ? 'heavy' : priority)
    if (this.#isFull(queue, now)) return request.refuse()
    queue.add(request, now)
    if (priority === 'polls') this.#runExcessPoll()
    this.#schedule()
  }

  release(): void {
    this.#inWork -= 1
    this.#schedule()
  }

  noteConnection(): void {
    this.#isConnecting = true
  }

  load(): ReturnType<Admission['load']> {
    const { length: urgent } = this.#urgent
    const { length: normal } = this.#normal
    const { length: heavy } = this.#heavy
    const { length: polls } = this.#polls
    return { inProgress: this.#inWork, waiting: { urgent, normal, heavy, polls } }
  }

  #queueOf(name: Class): Queue {
    if (name === 'urgent') return this.#urgent
    if (name === 'normal') return this.#normal
    return name === 'heavy' ? this.#heavy : this.#polls
  }

  /** Returns whether this turn of the event loop may handle another request. */
  #hasTime(now: number): boolean {
    if (this.#turnEndsAt !== null) return now < this.#turnEndsAt
    this.#connectingTurns = this.#isConnecting ? this.#connectingTurns + 1 : 0
    this.#turnEndsAt = now + this.#turnLength()
    this.#isConnecting = false
    this.#loop.soon(this.#endTurn)
    return true
  }

  #turnLength(): number {
    if (this.#connectingTurns === 0) return TURN
    return this.#connectingTurns > MAX_CONNECTING_TURNS ? 0 : TURN_WHILE_CONNECTING
  }

  readonly #endTurn = (): void => {
    this.#turnEndsAt = null
  }

  #mayRunNow(priority: Priority, now: number): boolean {
    if (this.#urgent.length > 0) return false
    if (priority !== 'urgent') {
      if (this.#inWork >= this.#limits.maxInWork || this.#normal.length > 0) return false
      if (priority === 'polls' && this.#polls.length > 0) return false
    }
    return this.#hasTime(now)
  }

  #isFull(queue: Queue, now: number): boolean {
    const mayGrowOld = queue === this.#urgent || queue === this.#polls
    return queue.isFull || (!mayGrowOld && queue.waitOfFirst(now) > this.#limits.maxWait)
  }

  #run(request: QueuedRequest, priority: Class): void {
    if (priority !== 'urgent') this.#inWork += 1
    request.run()
  }

  /**
   * Runs the oldest poll if nothing else waits and there are more than `maxIdlePolls` waiting polls. One turn of the
   * event loop may read thousands of polls of clients that connect.
   */
  #runExcessPoll(): void {
    if (this.#polls.length <= this.#limits.maxIdlePolls || this.#inWork >= this.#limits.maxInWork) return
    if (this.#urgent.length + this.#normal.length + this.#heavy.length > 0) return
    const request = this.#polls.take()
    if (!request.isGone()) this.#run(request, 'polls')
  }

  #hasRunnableOthers(): boolean {
    return this.#inWork < this.#limits.maxInWork && this.#normal.length + this.#heavy.length + this.#polls.length > 0
  }

  #hasRunnable(): boolean {
    return this.#urgent.length > 0 || this.#hasRunnableOthers()
  }

  #nextClass(): Class {
    if (this.#urgent.length > 0) {
      this.#urgentPicks += 1
      if (this.#urgentPicks % LOWER_SHARE !== 0 || !this.#hasRunnableOthers()) return 'urgent'
    }
    this.#picks += 1
    const [first, ...lower] = OTHERS.filter((name) => this.#queueOf(name).length > 0) as [Class, ...Class[]]
    if (lower.length === 0 || this.#picks % LOWER_SHARE !== 0) return first
    this.#lowerPicks += 1
    return lower[this.#lowerPicks % lower.length] as Class
  }

  /** Each step is a separate task, so that the work of a request right after its first await counts in its time. */
  readonly #step = (): void => {
    this.#steps -= 1
    if (this.#hasRunnable() && this.#hasTime(this.#loop.now())) {
      const name = this.#nextClass()
      const request = this.#queueOf(name).take()
      if (!request.isGone()) this.#run(request, name)
    }
    if (this.#steps === 0) this.#schedule()
  }

  /** Schedules a step for each waiting request that may run. */
  #schedule(): void {
    if (!this.#hasRunnable()) return
    const waiting = this.#urgent.length + this.#normal.length + this.#heavy.length + this.#polls.length
    const count = Math.min(MAX_STEPS, waiting)
    for (; this.#steps < count; this.#steps += 1) this.#loop.soon(this.#step)
  }
}

export function openAdmission(limits: Partial<AdmissionLimits> = {}, loop: Loop = system): Admission {
  return new RequestQueue({ ...defaultLimits, ...limits }, loop)
}
