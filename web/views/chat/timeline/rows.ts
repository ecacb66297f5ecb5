/** Returns the message rows of a list, from top to bottom. */
export const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-message]')]

export const idOfRow = (row: HTMLElement): number => Number(row.dataset['message'])

export const findRow = (list: HTMLElement, id: number): HTMLElement | null =>
  list.querySelector<HTMLElement>(`[data-message="${id}"]`)

/** Returns the visible part of a list, in pixels from the top of the window. */
export function readingArea(list: HTMLElement): { top: number; bottom: number } {
  const { top, bottom } = list.getBoundingClientRect()
  return { top, bottom: Math.min(bottom, innerHeight) }
}

/** Returns the first visible row; null if there is none. */
export function firstVisibleRow(list: HTMLElement): HTMLElement | null {
  const { top, bottom } = readingArea(list)
  const rows = rowsIn(list)
  let [start, end] = [0, rows.length]
  while (start < end) {
    const middle = (start + end) >> 1
    if (rows[middle]!.getBoundingClientRect().bottom > top + 1) end = middle
    else start = middle + 1
  }
  const row = rows[start]
  return row !== undefined && row.getBoundingClientRect().top < bottom ? row : null
}
