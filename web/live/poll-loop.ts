import { ApiError, isTransientError, onOutcome, retryAfterOf } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { pageUserId } from '../api/session.ts'
import { onRestored, type QueuePosition, queuePosition, setConnection } from '../store/connection.ts'
import { hasLocks } from '../store/leadership.ts'
import { refetchFailed } from '../store/query-client.ts'
import { register } from '../store/registration.ts'
import { burstPauses } from './batch.ts'
import { type EarlyStart, earlyStart } from './early-start.ts'
import { applyBatch } from './events/apply-event.ts'
import { lastResponseAt, setLive, takeRegistered } from './state.ts'
import { answerPages, follow, type Leading } from './tabs.ts'

/** The pauses before each retry, in milliseconds. The last one repeats. */
const PAUSES = [1000, 2000, 5000, 10_000]

/** The calls of the loop itself. */
const OWN_ROUTES = ['POST /register', 'GET /events']

/**
 * Keeps the stores up to date by events. All pages of the user in this browser share an event queue, and one of the
 * pages polls it. Returns a function that stops this.
 */
export function startLive(): () => void {
  const end = new AbortController()
  void live(end.signal).catch((error: unknown) => {
    if (!end.signal.aborted) setConnection({ phase: 'failed', error })
  })
  const stop = onRestored(refetchFailed)
  return () => {
    end.abort()
    stop()
  }
}

async function live(signal: AbortSignal): Promise<void> {
  const early = await earlyStart()
  const userId = pageUserId()
  if (signal.aborted) return
  // Without locks, each page has its own queue.
  const runAlone = () => run(signal, { send() {}, onOutcome, close() {} }, early)
  if (userId === null || !hasLocks()) return runAlone()
  let { leadership } = early
  while (!signal.aborted) {
    leadership ??= await follow(userId, signal)
    if (leadership === null) return hasLocks() ? undefined : runAlone()
    const leading = answerPages(userId)
    try {
      await run(AbortSignal.any([signal, leadership.signal]), leading, early)
    } finally {
      leading.close()
      leadership.release()
    }
    leadership = null
  }
}

/**
 * Registers and polls for events. After a broken connection, the loop continues where it stopped; if the queue has
 * expired, the loop registers again. Other calls show the state of the connection, too: a failed call aborts the
 * pending poll, and a successful call ends the pause before the next retry. The first poll after a failure does not
 * wait for events, so that its response shows at once that the server is back. In a burst of events, the loop pauses
 * before each poll. A call ends this pause as well, so that the events of the call are not late.
 */
async function run(signal: AbortSignal, leading: Leading, early: EarlyStart): Promise<void> {
  let failures = 0
  let position = hasLocks() || early.view === null ? queuePosition.get() : null
  let registered = position === null ? early.registered : null
  let isInDoubt = position !== null
  const pauseAfterResponse = burstPauses()
  /** Another call with this outcome ends the current wait; null if none does. */
  let endsWhenAnswered: boolean | null = null
  let turn = new AbortController()
  const stop = leading.onOutcome(({ route, isAnswered }) => {
    if (!OWN_ROUTES.includes(route) && isAnswered === endsWhenAnswered) turn.abort()
  })
  signal.addEventListener('abort', stop)
  while (!signal.aborted) {
    turn = new AbortController()
    const turnSignal = AbortSignal.any([signal, turn.signal])
    try {
      endsWhenAnswered = position === null || isInDoubt ? null : false
      position =
        position === null
          ? await registerAgain(registered ?? register(signal), leading)
          : await poll(position, leading, { isInDoubt, signal: turnSignal })
      isInDoubt = false
      failures = 0
      setLive()
      const burstPause = pauseAfterResponse()
      // Hidden pages do not pause. They may poll for visible pages, and browsers lengthen their timers.
      if (burstPause > 0 && document.visibilityState === 'visible') {
        endsWhenAnswered = true
        await pause(burstPause, turnSignal)
      }
    } catch (error) {
      if (signal.aborted) return
      registered = null
      isInDoubt = true
      if (turn.signal.aborted) continue
      if (error instanceof ApiError && error.code === 'BAD_EVENT_QUEUE_ID') position = null
      else if (!isTransientError(error)) throw error
      else {
        const retryAfter = retryAfterOf(error)
        endsWhenAnswered = retryAfter === null ? true : null
        if (retryAfter === null) setConnection({ phase: 'offline', asOf: lastResponseAt() })
        await pause(retryAfter ?? PAUSES[Math.min(failures, PAUSES.length - 1)]!, turnSignal)
        failures += 1
      }
    }
  }
}

async function registerAgain(registered: ReturnType<typeof register>, leading: Leading): Promise<QueuePosition> {
  takeRegistered(await registered)
  leading.send('state')
  return queuePosition.get()!
}

/** Waits for events and applies them. Returns null when the client must register again. */
async function poll(
  { queueId, lastEventId: after }: QueuePosition,
  leading: Leading,
  { isInDoubt, signal }: { isInDoubt: boolean; signal: AbortSignal },
): Promise<QueuePosition | null> {
  const from = { queue_id: queueId, last_event_id: after, ...(isInDoubt && { dont_block: true }) }
  const { events } = await call('GET /events', from, { signal })
  const batch = { queueId, after, lastEventId: Math.max(after, ...events.map(({ id }) => id)), events }
  // The next poll acknowledges the events. The server does not return acknowledged events again.
  leading.send(batch)
  if (applyBatch(batch)) return queuePosition.get()
  await call('DELETE /events', { queue_id: queueId }, { signal }).catch(() => {})
  return null
}

/** Resolves after the time. Resolves earlier if `signal` is aborted, or if the browser is connected again. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      removeEventListener('online', over)
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    addEventListener('online', over)
    signal.addEventListener('abort', over, { once: true })
  })
}
