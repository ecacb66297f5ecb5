/** Milliseconds between two looks at the clock. */
const INTERVAL = 50

/** Returns the seconds that `work` takes, without those in which the machine did not let this process run. */
export async function activeSeconds(work: () => Promise<unknown>): Promise<number> {
  let [seconds, lookedAt] = [0, performance.now()]
  const look = () => {
    const now = performance.now()
    seconds += Math.min(now - lookedAt, 2 * INTERVAL) / 1000
    lookedAt = now
  }
  const timer = setInterval(look, INTERVAL)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  look()
  return seconds
}
