import { onOutcome } from '../../api/outcomes.ts'
import { setRunningTimer } from '../../ui/running-timer.ts'
import { queuePosition, setConnection } from '../connection.ts'
import { applyBatch } from './apply-batch.ts'
import { type Batch, cut } from './batch.ts'
import { type Leadership, requestLeadership } from './leadership.ts'
import { connectPages, type Notice } from './pages.ts'
import { setLive, takeShared } from './state.ts'

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
