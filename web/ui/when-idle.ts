/** The time after which a browser without idle callbacks, such as Safari, counts as idle, in milliseconds. */
const PAUSE = 100

/** Calls the function when the page is idle, or after `timeout` milliseconds. Returns a function that cancels this. */
export function whenIdle(run: () => void, timeout: number): () => void {
  if (!('requestIdleCallback' in globalThis)) {
    const timer = setTimeout(run, PAUSE)
    return () => clearTimeout(timer)
  }
  const callback = requestIdleCallback(run, { timeout })
  return () => cancelIdleCallback(callback)
}
