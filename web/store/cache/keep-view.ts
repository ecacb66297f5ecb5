import { loadPart } from '../load-part.ts'

/** Milliseconds after which the view is kept: the first view does not need it. */
const DELAY = 300

/** Keeps what the page shows in this browser, for the next page of the user. Returns a function that stops it. */
export function keepView(userId: number): () => void {
  const end = new AbortController()
  const start = async () => {
    const { startCaching } = await loadPart(() => import('./write-cache.ts'))
    if (!end.signal.aborted) end.signal.addEventListener('abort', startCaching(userId))
  }
  // Without it, the next page loads everything from the server.
  const timer = setTimeout(() => void start().catch(() => {}), DELAY)
  return () => {
    clearTimeout(timer)
    end.abort()
  }
}
