import { type Errands, openErrands } from '../base/errands.ts'
import { openRounds, type RoundsOptions } from '../base/rounds.ts'
import { findFirstCalls } from '../webhook-calls/queries.ts'
import { type CallRoom, makeCall } from './make-call.ts'

/**
 * Has outgoing-webhook bots pass messages on when these are committed: of each bot one at a time, in the order of the
 * messages, and of many bots together. No transaction is open while a receiver is waited for.
 */
export type Courier = {
  /** Looks for calls soon. To be called after each commit that wrote `webhookCalls`, in this process or outside. */
  wake(): void
  /** Resolves when nothing that is due now is left, and the clock will wake the courier for what comes next. */
  settled(): Promise<void>
  /** Begins nothing more. What is under way has two seconds to end, and is made again at the next start otherwise. */
  close(): Promise<void>
}

/** How many calls are under way at most. */
const CONCURRENCY = 32

/** Milliseconds. */
const CLOSING_TIME = 2000

/** Opens at once; calls that an earlier process left behind are made, too. */
export function openCourier(room: CallRoom & Pick<RoundsOptions, 'isOurs'>): Courier {
  const { db, clock, log, isOurs } = room
  const stopping = new AbortController()
  const { round, rest, stop, isStopped } = openRounds({
    clock,
    work: takeDueCalls,
    onFailure: (error) => log.error({ err: error }, 'Calls of webhooks cannot be read or written'),
    isOurs,
    onDue: () => errands.settled(),
  })
  /** Calls, by the ids of their bots. */
  const errands: Errands<number> = openErrands(round)

  async function takeDueCalls(): Promise<number | null> {
    const waiting = (await findFirstCalls(db)).filter(({ botId }) => !errands.has(botId))
    if (isStopped()) return null
    const now = clock.now()
    const due = waiting.filter(({ dueAt }) => dueAt <= now)
    for (const call of due.slice(0, CONCURRENCY - errands.size))
      errands.add(call.botId, makeCall(room, call, stopping.signal).catch(rest))
    // Each call that ends begins a round, so what is due and has no place needs no time.
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
