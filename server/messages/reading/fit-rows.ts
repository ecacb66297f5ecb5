/** A range of rows; `end` is exclusive. */
type RowRange = { start: number; end: number }

/**
 * Returns a range of rows around the anchor whose total size is at most `maxSize`. The row of the anchor and its
 * neighbor on each side are always included, so that a client that continues from its last row makes progress. Rows are
 * added on both sides in turn, so that the range has no gaps. `ids` must be in ascending order.
 */
export function fitRows(
  ids: readonly number[],
  sizes: readonly number[],
  { anchor, maxSize }: { anchor: number; maxSize: number },
): RowRange {
  const firstAfter = ids.findIndex((id) => id > anchor)
  const middle = firstAfter < 0 ? ids.length : firstAfter
  const oldestRequired = ids[middle - 1] === anchor ? middle - 2 : middle - 1
  let start = middle
  let end = middle
  let size = 0
  const fits = (at: number) => {
    const next = sizes[at]
    if (next === undefined) return false
    const isRequired = at >= oldestRequired && at <= middle
    if (!isRequired && size + next > maxSize) return false
    size += next
    return true
  }
  for (let [hasOlder, hasNewer] = [true, true]; hasOlder || hasNewer; ) {
    if (hasOlder) {
      hasOlder = fits(start - 1)
      if (hasOlder) start -= 1
    }
    if (hasNewer) {
      hasNewer = fits(end)
      if (hasNewer) end += 1
    }
  }
  return { start, end }
}
