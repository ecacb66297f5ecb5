import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import { type Errands, openErrands } from './errands.ts'
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

/** What is due, of each receiver the first that waits at most; and when more will be, null when nothing else waits. */
export type Waiting<Load> = { due: readonly Load[]; nextAt: number | null }

export type CourierOptions<Load> = {
  clock: Clock
  log: Log
  /** Whether the work is this process's to do, at a round. */
  isOurs: () => boolean
  /** In the order in which it is to be taken; more than can be under way at once, if more is due. */
  findWaiting: (now: number) => Promise<Waiting<Load>>
  receiverOf: (load: Load) => number
  /** `signal` asks it to end. A rejection has the courier rest for a minute. */
  deliver: (load: Load, signal: AbortSignal) => Promise<void>
  /** What the log says when one cannot be found or recorded. */
  complaint: string
}

/** How many are under way at most. */
export const CONCURRENCY = 32

/** Milliseconds. */
const CLOSING_TIME = 2000

/** Opens at once; what an earlier process left behind is taken, too. */
export function openCourier<Load>(options: CourierOptions<Load>): Courier {
  const { clock, log, isOurs, findWaiting, receiverOf, deliver, complaint } = options
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
    const { due, nextAt } = await findWaiting(clock.now())
    if (isStopped()) return null
    const free = due.filter((load) => !errands.has(receiverOf(load)))
    for (const load of free.slice(0, CONCURRENCY - errands.size))
      errands.add(receiverOf(load), deliver(load, stopping.signal).catch(rest))
    // Each that ends begins a round, so what is due and has no place needs no time.
    return nextAt
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
