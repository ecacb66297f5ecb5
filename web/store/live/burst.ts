/** The maximum time between two consecutive responses of a burst, in milliseconds. */
const MAX_DISTANCE = 300

/** The number of consecutive responses after which a burst begins. */
const MIN_RESPONSES = 3

/** The delay before each poll during a burst, in milliseconds, so that one response carries several events. */
export const BURST_PAUSE = 200

/**
 * Returns a function that is called after each response of the event queue. It returns the milliseconds before the next
 * poll. They are 0 unless events arrive in a burst, so that the first events after a quiet time are never late.
 */
export function burstPauses(now = () => performance.now()): () => number {
  let latestAt = Number.NEGATIVE_INFINITY
  let responses = 0
  return () => {
    const at = now()
    responses = at - latestAt <= MAX_DISTANCE ? responses + 1 : 1
    latestAt = at
    return responses < MIN_RESPONSES ? 0 : BURST_PAUSE
  }
}
