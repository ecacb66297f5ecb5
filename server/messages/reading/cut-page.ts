/** From the first row to the one before `end`. */
export type Window = { start: number; end: number }

/**
 * The rows next to the anchor that together measure at most `most`. The row of the anchor and the next one on each side are
 * kept in any case, so that a client that asks again from the last row it got always gets a further one. The rows are in
 * ascending order of their ids, and the sides of the anchor are filled by turns, so that each side stays without gaps.
 */
export function cutRows(
  ids: readonly number[],
  sizes: readonly number[],
  { anchor, most }: { anchor: number; most: number },
): Window {
  const beyond = ids.findIndex((id) => id > anchor)
  const middle = beyond < 0 ? ids.length : beyond
  const oldestKept = ids[middle - 1] === anchor ? middle - 2 : middle - 1
  let start = middle
  let end = middle
  let size = 0
  const takes = (at: number) => {
    const next = sizes[at]
    if (next === undefined) return false
    const isKept = at >= oldestKept && at <= middle
    if (!isKept && size + next > most) return false
    size += next
    return true
  }
  for (let [hasOlder, hasNewer] = [true, true]; hasOlder || hasNewer; ) {
    if (hasOlder) {
      hasOlder = takes(start - 1)
      if (hasOlder) start -= 1
    }
    if (hasNewer) {
      hasNewer = takes(end)
      if (hasNewer) end += 1
    }
  }
  return { start, end }
}
