import { parseFence } from './fence-lines.ts'

const ITEM = /^ *([*+-]|\d\.) +/

/** Inserts a blank line above each list that directly follows text or a list of the other kind, except in code. */
export function separateHangingLists(lines: readonly string[]): string[] {
  const parted: string[] = []
  const open: { marker: string; isQuote: boolean }[] = []
  for (const [index, line] of lines.entries()) {
    parted.push(line)
    const fence = parseFence(line)
    if (fence !== null) {
      if (fence.language === '' && open.at(-1)?.marker === fence.marker) open.pop()
      else open.push({ marker: fence.marker, isQuote: /^quoted?$/.test(fence.language) })
    }
    const next = lines[index + 1]
    if (next === undefined || line === '' || !open.every(({ isQuote }) => isQuote)) continue
    const marker = ITEM.exec(next)?.[1]
    if (marker !== undefined && ITEM.exec(line)?.[1]?.length !== marker.length) parted.push('')
  }
  return parted
}
