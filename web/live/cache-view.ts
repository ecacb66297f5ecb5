import { loadPart } from '../ui/load-part.ts'

/**
 * The delay before caching starts, in milliseconds. Without it, loading the code for caching would delay the first
 * view.
 */
const DELAY = 300

/**
 * Caches what the page shows, so that the next page that the user opens can show it at once. Returns a function that
 * stops caching.
 */
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
