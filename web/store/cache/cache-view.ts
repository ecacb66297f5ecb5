import { loadPart } from '../load-part.ts'

/** Milliseconds after which caching starts, so that its code does not delay the first view. */
const DELAY = 300

/** Caches the view of the page for the next page of the user. Returns a function that stops this. */
export function cacheView(userId: number): () => void {
  const end = new AbortController()
  const start = async () => {
    const { startCaching } = await loadPart(() => import('./write-cache.ts'))
    if (!end.signal.aborted) end.signal.addEventListener('abort', startCaching(userId))
  }
  // Without a cache, the next page loads everything from the server.
  const timer = setTimeout(() => void start().catch(() => {}), DELAY)
  return () => {
    clearTimeout(timer)
    end.abort()
  }
}
