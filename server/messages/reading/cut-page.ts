/** From the first row to the one before `end`. */
export type Window = { start: number; end: number }

/**
 * The rows next to the anchor that together measure at most `most`, and at least one of them. The rows are in ascending
 * order of their ids, and sides of the anchor are filled by turns, so that each side stays without gaps.
 */
export function cutRows(
  ids: readonly number[],
  sizes: readonly number[],
  { anchor, most }: { anchor: number; most: number },
): Window {
  const beyond = ids.findIndex((id) => id > anchor)
  let start = beyond < 0 ? ids.length : beyond
  let end = start
  let size = 0
  const takes = (at: number) => {
    const next = sizes[at]
    if (next === undefined || (start < end && size + next > most)) return false
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
