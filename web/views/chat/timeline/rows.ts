/** Returns the message rows of a list, from top to bottom. */
export const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('[data-message]')]

export const idOfRow = (row: HTMLElement): number => Number(row.dataset['message'])

export const findRow = (list: HTMLElement, id: number): HTMLElement | null =>
  list.querySelector<HTMLElement>(`[data-message="${id}"]`)

/** Returns the part of the window between the top bars and the compose box, in pixels from its top. */
export function readingArea(): { top: number; bottom: number } {
  const bars = [...document.querySelectorAll('.top-bar, .title-bar')].filter((bar) => bar.checkVisibility())
  const fixed = bars.map((bar) => bar.getBoundingClientRect()).filter((box) => box.top < innerHeight / 4)
  const top = Math.max(0, ...fixed.map((box) => box.bottom))
  const composer = document.querySelector('.composer')?.getBoundingClientRect().top ?? innerHeight
  return { top, bottom: Math.min(composer, innerHeight) }
}

/** Returns the first visible row; null if there is none. */
export function firstVisibleRow(list: HTMLElement): HTMLElement | null {
  const { top, bottom } = readingArea()
  return (
    rowsIn(list).find((row) => {
      const box = row.getBoundingClientRect()
      return box.bottom > top + 1 && box.top < bottom
    }) ?? null
  )
}
