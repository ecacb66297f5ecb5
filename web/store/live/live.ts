import { ApiError, isTransientError, retryAfterOf } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { onOutcome } from '../../api/outcomes.ts'
import { applyEvent } from '../apply-event.ts'
import { currentConnection, onRestored, type QueuePosition, queuePosition, setConnection } from '../connection.ts'
import { loadState, loadView } from '../load-state.ts'
import { reloadKeptTimelines } from '../messages/messages.ts'
import { knownOrganization, type RegisterState } from '../organization.ts'
import { queryClient, refetchFailed } from '../query-client.ts'
import { claimQueue } from './claim-queue.ts'
import { earlyStart } from './early-start.ts'
import { register } from './registration.ts'

/** Milliseconds before each retry; the last value repeats. */
const PAUSES = [1000, 2000, 5000, 10_000]

/** The calls of the loop itself. */
const OWN_ROUTES = ['POST /register', 'GET /events']

/** Milliseconds after which a page that shows an earlier view says so, if the server has not responded. */
const CACHED_TIME = 3000

/**
 * Registers and keeps the stores up to date by events. After a broken connection the client continues where it stopped; if
 * the queue has expired, it registers again. Returns a function that stops it.
 */
export function startLive(): () => void {
  const end = new AbortController()
  void run(end.signal).catch((error: unknown) => {
    if (!end.signal.aborted) setConnection({ phase: 'failed', error })
  })
  const stop = onRestored(refetchFailed)
  return () => {
    end.abort()
    stop()
  }
}

/**
 * Registers and polls for events. Other calls show the state of the connection, too: a failed one aborts the pending poll,
 * and a successful one ends the pause before the next retry. The first poll after a failure does not wait for events, so
 * that its response shows at once that the server is back.
 */
async function run(signal: AbortSignal): Promise<void> {
  let { asOf, position, registered, isKept } = await begin()
  let isInDoubt = isKept
  let failures = 0
  /** The outcome of another call that ends the current wait; null for none. */
  let endsWhenAnswered: boolean | null = null
  let turn = new AbortController()
  if (signal.aborted) return
  const stop = onOutcome(({ route, isAnswered }) => {
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
          ? await registerAgain(registered ?? register(signal), isKept)
          : await poll(position, { isInDoubt, signal: turnSignal })
      isInDoubt = false
      isKept = false
      failures = 0
      asOf = Date.now() / 1000
      setConnection({ phase: 'live' })
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
        if (retryAfter === null) setConnection({ phase: 'offline', asOf })
        await pause(retryAfter ?? PAUSES[Math.min(failures, PAUSES.length - 1)]!, turnSignal)
        failures += 1
      }
    }
  }
}

type Beginning = {
  asOf: number | null
  position: QueuePosition | null
  registered: Promise<RegisterState> | null
  /** True if the page shows a view of an earlier page. */
  isKept: boolean
}

/**
 * Shows the view that this browser has kept, if there is one, and continues its event queue. That may be in use by another
 * page; then this one registers.
 */
async function begin(): Promise<Beginning> {
  const { view, ownsQueue, registered } = await earlyStart()
  const known = queuePosition.get()
  if (view === null || known !== null) return { asOf: null, position: known, registered, isKept: false }
  loadView(view)
  setConnection({ phase: 'cached' })
  setTimeout(() => {
    if (currentConnection().phase === 'cached') setConnection({ phase: 'offline', asOf: view.asOf })
  }, CACHED_TIME)
  const position = (await ownsQueue) ? view.position : null
  queuePosition.set(position)
  return { asOf: view.asOf, position, registered: null, isKept: true }
}

/** Loads the state of a new event queue. Pages that are shown keep what they show until it is loaded again. */
async function registerAgain(registered: Promise<RegisterState>, isKept: boolean): Promise<QueuePosition> {
  const isFirst = knownOrganization() === undefined
  const state = await registered
  const position = { queueId: state.queue_id, lastEventId: state.last_event_id }
  loadState(state)
  queuePosition.set(position)
  void claimQueue(position.queueId)
  if (isKept) void reloadKeptTimelines()
  else if (!isFirst) void queryClient.invalidateQueries()
  return position
}

/** Waits for events and applies them; returns null when the client must register again. */
async function poll(
  position: QueuePosition,
  { isInDoubt, signal }: { isInDoubt: boolean; signal: AbortSignal },
): Promise<QueuePosition | null> {
  const { queueId, lastEventId } = position
  const ownId = knownOrganization()?.user_id ?? 0
  const from = { queue_id: queueId, last_event_id: lastEventId, ...(isInDoubt && { dont_block: true }) }
  const { events } = await call('GET /events', from, { signal })
  const areApplied = events.map((event) => applyEvent(event, ownId)).every(Boolean)
  if (!areApplied) {
    await call('DELETE /events', { queue_id: queueId }, { signal }).catch(() => {})
    return null
  }
  const reached = { queueId, lastEventId: Math.max(lastEventId, ...events.map(({ id }) => id)) }
  queuePosition.set(reached)
  return reached
}

/** Ends early when the browser is connected again. */
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
