import type { Clock } from './clock.ts'
import { type Errands, openErrands } from './errands.ts'
import type { Log } from './log.ts'
import { openRounds } from './rounds.ts'

/**
 * Takes what is committed to where it is to go: for each receiver one thing at a time, in their order, and to many
 * receivers together. No transaction is open while one of them is waited for.
 */
export type Courier = {
  /** Looks for what is due soon. To be called after each commit that wrote any, in this process or outside. */
  wake(): void
  /** Resolves when nothing that is due now is left, and the clock will wake the courier for what comes next. */
  settled(): Promise<void>
  /** Begins nothing more. What is under way has two seconds to end, and is done again at the next start otherwise. */
  close(): Promise<void>
}

/** Something to take to a receiver. */
export type Load = {
  /** Seconds, as of the clock. */
  dueAt: number
}

export type CourierOptions<One extends Load> = {
  clock: Clock
  log: Log
  /** Whether the work is this process's to do, at a round. */
  isOurs: () => boolean
  /** For each receiver the first that waits, due or not; in the order in which they are to be taken. */
  findFirst: () => Promise<One[]>
  receiverOf: (load: One) => number
  /** `signal` asks it to end. A rejection has the courier rest for a minute. */
  deliver: (load: One, signal: AbortSignal) => Promise<void>
  /** What the log says when one cannot be found or recorded. */
  complaint: string
}

/** How many are under way at most. */
const CONCURRENCY = 32

/** Milliseconds. */
const CLOSING_TIME = 2000

/** Opens at once; what an earlier process left behind is taken, too. */
export function openCourier<One extends Load>(options: CourierOptions<One>): Courier {
  const { clock, log, isOurs, findFirst, receiverOf, deliver, complaint } = options
  const stopping = new AbortController()
  const { round, rest, stop, isStopped } = openRounds({
    clock,
    work: takeDue,
    onFailure: (error) => log.error({ err: error }, complaint),
    isOurs,
    onDue: () => errands.settled(),
  })
  /** Deliveries, by the ids of their receivers. */
  const errands: Errands<number> = openErrands(round)

  async function takeDue(): Promise<number | null> {
    const waiting = (await findFirst()).filter((load) => !errands.has(receiverOf(load)))
    if (isStopped()) return null
    const now = clock.now()
    const due = waiting.filter(({ dueAt }) => dueAt <= now)
    for (const load of due.slice(0, CONCURRENCY - errands.size))
      errands.add(receiverOf(load), deliver(load, stopping.signal).catch(rest))
    // Each that ends begins a round, so what is due and has no place needs no time.
    const later = waiting.filter(({ dueAt }) => dueAt > now).map(({ dueAt }) => dueAt)
    return later.length === 0 ? null : Math.min(...later)
  }

  async function finish() {
    void stop()
    const deadline = setTimeout(() => stopping.abort(), CLOSING_TIME)
    await errands.settled()
    clearTimeout(deadline)
  }

  let finishing: Promise<void> | undefined
  function close() {
    finishing ??= finish()
    return finishing
  }

  void round()
  return { wake: () => void round(), settled: errands.settled, close }
}
