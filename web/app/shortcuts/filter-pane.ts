import { requestedFilter } from '../../store/page/requested-filter.ts'

/** Where the filter of a pane is, or the way to it where the pane has no room beside the page. */
const FILTERS = {
  channels: '.chat-pane, .title-bar [data-opens="conversations"]',
  people: '.people-side, .people-page, .title-bar [data-opens="people"]',
} as const

/** Leads to the filter of a pane; where the page has none, `elsewhere` leads to one that has. */
export function filterPane(kind: keyof typeof FILTERS, elsewhere: () => void): void {
  const isHere = [...document.querySelectorAll(FILTERS[kind])].some((part) => part.checkVisibility())
  requestedFilter.set(kind)
  if (!isHere) elsewhere()
}
