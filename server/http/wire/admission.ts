/** Which requests come first when the server is busy: `urgent` ones before nearly all others, `polls` after them. */
export type Priority = 'urgent' | 'normal' | 'polls'

/** A request that wants to be answered. */
export type QueuedRequest = {
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean
  /** Begins to answer it; `Admission.release` says that the work is done. */
  run(): void
  /** Answers that the server is too busy. */
  refuse(): void
}

export type AdmissionLimits = {
  /** How many requests that are not urgent are being answered at a time; polls that wait for events do not count. */
  maxInWork: number
  /** How many requests wait to be answered, of urgent and of normal ones each. */
  maxWaiting: number
  /** How many polls do. */
  maxWaitingPolls: number
  /** While the normal request that came first waits longer than this, in milliseconds, further ones are refused. */
  maxWait: number
}

export const defaultLimits: AdmissionLimits = {
  maxInWork: 1000,
  maxWaiting: 1000,
  maxWaitingPolls: 20_000,
  maxWait: 2000,
}

/** What the time is, and what comes later in the same turn of the event loop. */
export type Loop = { now(): number; soon(step: () => void): void }

/** Decides which request is answered when, and refuses those beyond what the server can answer in time. */
export type Admission = {
  /** Runs the request now if the server has time for it, else later in its turn; or refuses it. */
  admit(applicant: QueuedRequest, priority: Priority): void
  /** To be called once for each request that was run and is not urgent. */
  release(): void
  /** To be called for each connection that is accepted: the event loop accepts one each turn. */
  noteConnection(): void
}

/** How long the event loop answers requests before it reads what has arrived meanwhile, in milliseconds. */
const TURN = 50

/** The same while clients connect. */
const TURN_WHILE_CONNECTING = 5

/** While normal requests wait, one in so many that are run is a poll. */
const POLLS_SHARE = 8

/** While urgent requests wait, one in so many that are run is another one, so that nobody stops the others by urgent ones. */
const OTHERS_SHARE = 8

/** How many requests are run in a row without a look at the budget of the turn. */
const MAX_STEPS = 64

const system: Loop = { now: () => performance.now(), soon: (step) => void setImmediate(step) }

/**
 * A request runs at once while the event loop is not behind. When one turn of the loop has answered requests for as long
 * as it may, further ones wait until it has read what else has arrived; so it stays responsive, and the number of those
 * that wait, and for how long, shows how far the server is behind.
 */
export function openAdmission(limits: Partial<AdmissionLimits> = {}, loop: Loop = system): Admission {
  const { maxInWork, maxWaiting, maxWaitingPolls, maxWait } = { ...defaultLimits, ...limits }
  const waiting = { urgent: new Queue(maxWaiting), normal: new Queue(maxWaiting), polls: new Queue(maxWaitingPolls) }
  let inWork = 0
  let turnEndsAt: number | null = null
  let isConnecting = false
  let steps = 0
  let picks = 0
  let urgentPicks = 0

  /** Whether the event loop may answer another request before it reads on. */
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

  function run(applicant: QueuedRequest, priority: Priority): void {
    if (priority !== 'urgent') inWork += 1
    applicant.run()
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

  /** Each step is a task of its own, so that what one request does right after its first pause is part of its time. */
  function step(): void {
    steps -= 1
    if (hasRunnable() && hasTime(loop.now())) {
      const priority = nextPriority()
      const applicant = waiting[priority].take()
      if (!applicant.isGone()) run(applicant, priority)
    }
    if (steps === 0) schedule()
  }

  /** Sees to it that there is a step for each request that waits and may run. */
  function schedule(): void {
    if (!hasRunnable()) return
    const count = Math.min(MAX_STEPS, waiting.urgent.length + waiting.normal.length + waiting.polls.length)
    for (; steps < count; steps += 1) loop.soon(step)
  }

  return {
    admit(applicant, priority) {
      const now = loop.now()
      if (mayRunNow(priority, now)) return run(applicant, priority)
      const queue = waiting[priority]
      if (isFull(queue, now)) return applicant.refuse()
      queue.add(applicant, now)
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

/** Those who wait, in the order in which they came. */
class Queue {
  readonly #max: number
  #entries: { applicant: QueuedRequest; since: number }[] = []
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

  /** In milliseconds; 0 when nobody waits. */
  waitOfFirst(now: number): number {
    const entry = this.#entries[this.#first]
    return entry === undefined ? 0 : now - entry.since
  }

  add(applicant: QueuedRequest, since: number): void {
    this.#entries.push({ applicant, since })
  }

  /** The one who came first; there must be one. */
  take(): QueuedRequest {
    const { applicant } = this.#entries[this.#first] as { applicant: QueuedRequest }
    this.#first += 1
    // The entries before the first are dropped together, which costs less than one by one.
    if (this.#first * 2 >= this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first)
      this.#first = 0
    }
    return applicant
  }
}
