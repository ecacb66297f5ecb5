/** The rows of messages in a list, from top to bottom. */
export const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-message]')]

export const idOfRow = (row: HTMLElement): number => Number(row.dataset['message'])

export const findRow = (list: HTMLElement, id: number): HTMLElement | null =>
  list.querySelector<HTMLElement>(`[data-message="${id}"]`)

/** What of the window is not under the bars on top, and not under the field to write in, in pixels from its top. */
export function readingArea(): { top: number; bottom: number } {
  const bars = [...document.querySelectorAll('.top-bar, .title-bar')].filter((bar) => bar.checkVisibility())
  const fixed = bars.map((bar) => bar.getBoundingClientRect()).filter((box) => box.top < innerHeight / 4)
  const top = Math.max(0, ...fixed.map((box) => box.bottom))
  const composer = document.querySelector('.composer')?.getBoundingClientRect().top ?? innerHeight
  return { top, bottom: Math.min(composer, innerHeight) }
}

/** The first row that reaches into what one reads; null where none does. */
export function firstVisibleRow(list: HTMLElement): HTMLElement | null {
  const { top, bottom } = readingArea()
  return (
    rowsIn(list).find((row) => {
      const box = row.getBoundingClientRect()
      return box.bottom > top + 1 && box.top < bottom
    }) ?? null
  )
}
