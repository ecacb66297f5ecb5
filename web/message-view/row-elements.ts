import type { View } from './sight.ts'

/** Returns the timeline that is shown, not one that is only kept; null if the page has none. */
export const shownTimeline = (): HTMLElement | null =>
  document.querySelector<HTMLElement>('.timeline:not([data-kept] > *)')

/** Returns the message rows of a list, from top to bottom. */
export const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-message]')]

export const idOfRow = (row: HTMLElement): number => Number(row.dataset['message'])

/** Returns the edges of the visible part of a list, in pixels from the top of the window. */
export function readingArea(list: HTMLElement): { top: number; bottom: number } {
  const { top, bottom } = list.getBoundingClientRect()
  return { top, bottom: Math.min(bottom, innerHeight) }
}

/** Returns the items of a list: the rows, and the bars and dividers between them. */
const itemsIn = (list: HTMLElement) => list.querySelector('.timeline-rows')?.children

/** Returns the row in an item; null for a bar or divider. */
function rowInItem(item: Element | null | undefined): HTMLElement | null {
  const row = item?.firstElementChild
  return row instanceof HTMLElement && row.dataset['message'] !== undefined ? row : null
}

/**
 * Returns the row in an item, or else the next row after it. Bars stick to the top, so only the positions of rows are
 * sorted.
 */
function rowFrom(item: Element | null | undefined): HTMLElement | null {
  let at = item
  while (at && rowInItem(at) === null) at = at.nextElementSibling
  return rowInItem(at)
}

/** Returns the row of a message; null if there is none. Uses binary search, because rows are ordered by message id. */
export function findRow(list: HTMLElement, id: number): HTMLElement | null {
  const items = itemsIn(list)
  let [start, end] = [0, items?.length ?? 0]
  while (start < end) {
    const middle = (start + end) >> 1
    const row = rowFrom(items![middle])
    if (row === null || idOfRow(row) >= id) end = middle
    else start = middle + 1
  }
  const row = rowFrom(items?.[start])
  return row !== null && idOfRow(row) === id ? row : null
}

/**
 * Returns the first visible row; null if there is none. Uses binary search, because this runs in each frame of
 * scrolling.
 */
export function firstVisibleRow(list: HTMLElement): HTMLElement | null {
  const { top, bottom } = readingArea(list)
  const items = itemsIn(list)
  let [start, end] = [0, items?.length ?? 0]
  while (start < end) {
    const middle = (start + end) >> 1
    const row = rowFrom(items![middle])
    if (row === null || row.getBoundingClientRect().bottom > top + 1) end = middle
    else start = middle + 1
  }
  const row = rowFrom(items?.[start])
  return row !== null && row.getBoundingClientRect().top < bottom ? row : null
}

/** Returns the rows that are visible as a whole, from the last to the first; the first visible one if there are none. */
export function wholeRowsFromEnd(list: HTMLElement): HTMLElement[] {
  const first = firstVisibleRow(list)
  if (first === null) return []
  const { bottom } = readingArea(list)
  const rows = [first]
  for (let item = first.parentElement?.nextElementSibling; item; item = item.nextElementSibling) {
    const row = rowInItem(item)
    if (row !== null && row.getBoundingClientRect().bottom > bottom + 1) break
    if (row !== null) rows.unshift(row)
  }
  return rows
}

/** Returns the part of a list that is in view, with the unread messages among it; null if no message is visible. */
export function viewOf(list: HTMLElement, unreadIds: ReadonlySet<number>): View | null {
  const start = firstVisibleRow(list)
  if (start === null) return null
  const { top, bottom } = readingArea(list)
  const first = idOfRow(start)
  const unread: number[] = []
  let last = first
  for (let item = start.parentElement; item; item = item.nextElementSibling as HTMLElement | null) {
    const row = rowInItem(item)
    if (row === null) continue
    const box = row.getBoundingClientRect()
    // A message that is taller than the window counts as visible to its end when it fills the window.
    if (box.bottom > bottom + 1 && (box.top > top || box.bottom <= top)) break
    last = idOfRow(row)
    if (unreadIds.has(last)) unread.push(last)
  }
  return { first, last, unread }
}
