import { requestedFilter } from '../../store/page/requested-filter.ts'

/** The filter of each pane, or the button that opens the pane where it has no room beside the page. */
const FILTERS = {
  channels: '#conversations, [data-opens="conversations"]',
  people: '.people-side, .people-page, [data-opens="people"]',
} as const

/** Focuses the filter of a pane; calls `elsewhere` if the page has none. */
export function filterPane(kind: keyof typeof FILTERS, elsewhere: () => void): void {
  const isHere = [...document.querySelectorAll(FILTERS[kind])].some((part) => part.checkVisibility())
  requestedFilter.set(kind)
  if (!isHere) elsewhere()
}
