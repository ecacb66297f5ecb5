import { drawer } from '../store/drawer.ts'
import { wantedFilter } from '../store/wanted-filter.ts'

const PANES = {
  channels: { beside: '.chat-pane', pane: 'conversations' },
  people: { beside: '.people-side, .people-page', pane: 'people' },
} as const

/** Leads to the filter of a pane, which is opened over the page where it has no room beside; where there is none, `elsewhere` leads to a page that has it. */
export function filterPane(kind: 'channels' | 'people', elsewhere: () => void): void {
  const { beside, pane } = PANES[kind]
  wantedFilter.set(kind)
  if (document.querySelector(beside)?.checkVisibility()) return
  if (document.querySelector(`.title-bar [data-opens="${pane}"]`)?.checkVisibility()) drawer.set(pane)
  else elsewhere()
}
