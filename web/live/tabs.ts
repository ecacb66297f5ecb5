import { type Outcome, onOutcome } from '../api/api-error.ts'
import { currentBuild } from '../store/cache-database.ts'
import {
  type Connection,
  connectionStore,
  type QueuePosition,
  queuePosition,
  setConnection,
} from '../store/connection.ts'
import { type Leadership, requestLeadership } from '../store/leadership.ts'
import { setRunningTimer } from '../ui/timers.ts'
import { type Batch, cut } from './batch.ts'
import type { LiveState } from './cached-view.ts'
import { applyBatch, eventsAfter } from './events/apply-event.ts'
import { liveState, setLive, takeShared } from './state.ts'

/**
 * A message between the pages of a user. One page leads: it polls the event queue and sends its events to the others.
 */
type Notice =
  /** A page requests the events that it lacks. `position` is null if the page has no state. */
  | { type: 'hello'; from: string; position: QueuePosition | null }
  /** The state for the page `to`, or for all pages if `to` is null. */
  | { type: 'state'; to: string | null; position: QueuePosition; state: LiveState }
  | { type: 'events'; batch: Batch }
  | { type: 'connection'; connection: Connection }
  /** The outcome of a call by a page that does not lead. `isAnswered` is false if the server could not be reached. */
  | { type: 'outcome'; isAnswered: boolean }

type Pages = { send(notice: Notice): void; close(): void }

/** Connects to the other pages of the user that have the same build. Other builds may expect a different state. */
function connectPages(userId: number, onNotice: (notice: Notice) => void): Pages {
  const channel = new BroadcastChannel(`parley.events.${userId}.${currentBuild()}`)
  channel.onmessage = ({ data }: MessageEvent<Notice>) => onNotice(data)
  return { send: (notice) => channel.postMessage(notice), close: () => channel.close() }
}

/** The connection of the leading page to the other pages. */
export type Leading = {
  /** Sends new events, or the whole state after a new registration. */
  send(news: Batch | 'state'): void
  /** Calls the listener after each call of the API in any of the pages. Returns a function that stops this. */
  onOutcome(listener: (outcome: Outcome) => void): () => void
  close(): void
}

/**
 * Connects the leading page to the other pages of the user. Sends every page the events or the state that it lacks, and
 * the state of the connection.
 */
export function answerPages(userId: number): Leading {
  const listeners = new Set<(outcome: Outcome) => void>()
  const pages = connectPages(userId, (notice) => {
    if (notice.type === 'outcome')
      for (const listener of listeners) listener({ route: '', isAnswered: notice.isAnswered })
    if (notice.type !== 'hello') return
    const missing = notice.position === null ? null : eventsAfter(notice.position)
    if (missing !== null) pages.send({ type: 'events', batch: missing })
    else sendState(pages, notice.from)
    sendConnection(pages)
  })
  const connection = connectionStore.subscribe(() => sendConnection(pages))
  sendConnection(pages)
  return {
    send: (news) => (news === 'state' ? sendState(pages, null) : pages.send({ type: 'events', batch: news })),
    onOutcome(listener) {
      listeners.add(listener)
      const stopOwn = onOutcome(listener)
      return () => {
        listeners.delete(listener)
        stopOwn()
      }
    },
    close() {
      connection.unsubscribe()
      pages.close()
    },
  }
}

function sendState(pages: Pages, to: string | null): void {
  const [position, state] = [queuePosition.get(), liveState()]
  if (position !== null && state !== null) pages.send({ type: 'state', to, position, state })
}

function sendConnection(pages: Pages): void {
  const connection = connectionStore.get()
  // Errors are not sent to other pages, since each page tries by itself.
  if (connection.phase !== 'failed') pages.send({ type: 'connection', connection })
}

/** Identifies this page in messages between pages. */
const pageId = Math.random().toString(36)

/** The time that the leading page has to respond, in milliseconds. A page that does not respond is closed or frozen. */
const PATIENCE = 5000

/**
 * The time after which a visible page asks whether the leader still runs, in milliseconds. It is longer than a poll.
 */
const SILENCE = 75_000

const isVisible = () => document.visibilityState === 'visible'

/**
 * Keeps the stores up to date with the events and states that the leading page sends. Resolves to the leadership when
 * the leading page was closed or does not respond. Resolves to null when `signal` is aborted.
 */
export async function follow(userId: number, signal: AbortSignal): Promise<Leadership | null> {
  const end = new AbortController()
  const waiting = AbortSignal.any([signal, end.signal])
  const { promise: stolen, resolve: steal } = Promise.withResolvers<Leadership | null>()
  let stopTimer = () => {}
  const pages = connectPages(userId, (notice) => {
    if (notice.type === 'hello' || notice.type === 'outcome') return
    waitForNotice()
    take(notice)
  })
  const sayHello = (position = queuePosition.get()) => {
    pages.send({ type: 'hello', from: pageId, position })
    stopTimer()
    stopTimer = setRunningTimer(() => isVisible() && steal(requestLeadership(userId, { steal: true })), PATIENCE)
  }
  const waitForNotice = () => {
    stopTimer()
    const timer = setTimeout(() => isVisible() && sayHello(), SILENCE)
    stopTimer = () => clearTimeout(timer)
  }
  const take = (notice: Notice) => {
    if (notice.type === 'state') {
      if (notice.to === null || notice.to === pageId) takeShared(notice.position, notice.state)
    } else if (notice.type === 'connection') takeConnection(notice.connection)
    else if (notice.type === 'events') takeEvents(notice.batch, sayHello)
  }
  const stopOutcomes = onOutcome(({ isAnswered }) => pages.send({ type: 'outcome', isAnswered }))
  const lookAgain = () => isVisible() && sayHello()
  document.addEventListener('visibilitychange', lookAgain)
  const lookAgainIfRestored = ({ persisted }: PageTransitionEvent) => persisted && sayHello()
  addEventListener('pageshow', lookAgainIfRestored)
  sayHello()
  try {
    return await Promise.race([requestLeadership(userId, { signal: waiting }), stolen])
  } finally {
    end.abort()
    stopTimer()
    stopOutcomes()
    document.removeEventListener('visibilitychange', lookAgain)
    removeEventListener('pageshow', lookAgainIfRestored)
    pages.close()
  }
}

type SharedConnection = Extract<Notice, { type: 'connection' }>['connection']

function takeConnection(connection: SharedConnection): void {
  if (connection.phase === 'offline') setConnection(connection)
  else if (connection.phase === 'live' && queuePosition.get() !== null) setLive()
}

/**
 * Applies the events of the batch that this page does not have. If events before the batch are missing, requests them
 * instead.
 */
function takeEvents(batch: Batch, sayHello: (position?: null) => void): void {
  const position = queuePosition.get()
  // This page has requested the state and will receive it.
  if (position === null) return
  const isOld = batch.queueId === position.queueId && batch.lastEventId < position.lastEventId
  if (isOld) return
  const missing = cut(batch, position)
  if (missing === null) return sayHello()
  if (!applyBatch(missing)) sayHello(null)
}
