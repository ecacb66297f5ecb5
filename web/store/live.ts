import { ApiError, isTransientError, retryAfterOf } from '../api/api-error.ts'
import { call } from '../api/call.ts'
import { onOutcome } from '../api/outcomes.ts'
import { applyEvent, eventTypes } from './apply-event.ts'
import { onRestored, setConnection } from './connection.ts'
import { loadState } from './load-state.ts'
import { INITIAL_STATE_TYPES, ORGANIZATION_KEY } from './organization.ts'
import { queryClient, refetchFailed } from './query-client.ts'

/** The pauses before the server is tried again, in milliseconds; the last one stands for all further ones. */
const PAUSES = [1000, 2000, 5000, 10_000]

/** The calls that the loop makes itself, whose outcome it sees anyway. */
const OWN_ROUTES = ['POST /register', 'GET /events']

type Place = { queueId: string; lastEventId: number; ownId: number }

/**
 * Registers, and from then on keeps what is known true by events. A connection that breaks is taken up again where it
 * broke; where the server has given the queue up meanwhile, everything is asked for anew. Returns what ends it.
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
 * Registers, and polls for events. Other calls help to notice how the server is: one that is not answered ends the poll
 * that waits, and one that is answered ends the pause before the next try. The first poll after a failure does not wait for
 * events, so that its answer tells at once that the server is back.
 */
async function run(signal: AbortSignal): Promise<void> {
  let asOf: number | null = null
  let failures = 0
  let conversation: Place | null = null
  let isInDoubt = false
  /** The outcome of another call that ends what the loop waits for, if any does. */
  let endsWhenAnswered: boolean | null = null
  let turn = new AbortController()
  const stop = onOutcome(({ route, isAnswered }) => {
    if (!OWN_ROUTES.includes(route) && isAnswered === endsWhenAnswered) turn.abort()
  })
  signal.addEventListener('abort', stop)
  while (!signal.aborted) {
    turn = new AbortController()
    const turnSignal = AbortSignal.any([signal, turn.signal])
    try {
      endsWhenAnswered = conversation === null || isInDoubt ? null : false
      conversation =
        conversation === null ? await register(signal) : await poll(conversation, { isInDoubt, signal: turnSignal })
      isInDoubt = false
      failures = 0
      asOf = Date.now() / 1000
      setConnection({ phase: 'live' })
    } catch (error) {
      if (signal.aborted) return
      isInDoubt = true
      if (turn.signal.aborted) continue
      if (error instanceof ApiError && error.code === 'BAD_EVENT_QUEUE_ID') conversation = null
      else if (!isTransientError(error)) throw error
      else {
        const target = retryAfterOf(error)
        endsWhenAnswered = target === null ? true : null
        if (target === null) setConnection({ phase: 'offline', asOf })
        await pause(target ?? PAUSES[Math.min(failures, PAUSES.length - 1)]!, turnSignal)
        failures += 1
      }
    }
  }
}

async function register(signal: AbortSignal): Promise<Place> {
  const isFirst = queryClient.getQueryData(ORGANIZATION_KEY) === undefined
  const state = await call(
    'POST /register',
    {
      event_types: [...eventTypes],
      fetch_event_types: [...INITIAL_STATE_TYPES],
      apply_markdown: true,
      client_gravatar: false,
      client_capabilities: {
        archived_channels: true,
        bulk_message_deletion: true,
        empty_topic_name: true,
        linkifier_url_template: true,
        notification_settings_null: true,
        stream_typing_notifications: true,
        user_list_incomplete: true,
        user_settings_object: true,
      },
    },
    { signal },
  )
  loadState(state)
  if (!isFirst) void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== ORGANIZATION_KEY[0] })
  return { queueId: state.queue_id, lastEventId: state.last_event_id, ownId: state.user_id ?? 0 }
}

/** Waits for events; null when they ask for registering anew. */
async function poll(
  conversation: Place,
  { isInDoubt, signal }: { isInDoubt: boolean; signal: AbortSignal },
): Promise<Place | null> {
  const { queueId, lastEventId, ownId } = conversation
  const from = { queue_id: queueId, last_event_id: lastEventId, ...(isInDoubt && { dont_block: true }) }
  const { events } = await call('GET /events', from, { signal })
  const areTaken = events.map((event) => applyEvent(event, ownId)).every(Boolean)
  if (!areTaken) {
    await call('DELETE /events', { queue_id: queueId }, { signal }).catch(() => {})
    return null
  }
  return { ...conversation, lastEventId: Math.max(lastEventId, ...events.map(({ id }) => id)) }
}

/** Ends early when the browser says that it is connected again. */
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
