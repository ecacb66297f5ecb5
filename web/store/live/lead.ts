import { type Outcome, onOutcome } from '../../api/outcomes.ts'
import { connectionStore, queuePosition } from '../connection.ts'
import { liveState } from '../load-state.ts'
import { eventsAfter } from './apply-batch.ts'
import type { Batch } from './batch.ts'
import { connectPages, type Pages } from './pages.ts'

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
  const stopConnection = connectionStore.subscribe(() => sendConnection(pages))
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
      stopConnection()
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
