/** The time for which a toast stays, unless it has the focus or the pointer, in milliseconds. */
export const TOAST_DURATION = 10_000

/** The length of a step, in milliseconds. */
const STEP = 500

/**
 * Calls `run` after this time. Of a longer time in which the page cannot run, only 500 ms count: the machine may be busy,
 * and what the page waits for may have happened in the meantime. Returns a function that cancels the call.
 */
export function setRunningTimer(run: () => void, milliseconds: number): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (left: number) => {
    timer = setTimeout(() => (left > STEP ? wait(left - STEP) : run()), Math.min(left, STEP))
  }
  wait(milliseconds)
  return () => clearTimeout(timer)
}

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
