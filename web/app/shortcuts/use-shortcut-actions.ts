import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useOrganization } from '../../store/organization.ts'
import { requestedFilter } from '../../store/page/requested-filter.ts'
import { PHONE } from '../../ui/layout/widths.ts'
import { useCurrentNarrow } from '../../views/chat/current-narrow.ts'
import { useNextUnread } from '../../views/chat/next-unread.ts'
import { toLocation } from '../../views/chat/to-location.ts'
import { conversationAt, siblingNarrowAt } from './message-narrows.ts'
import { focusedMessage, jumpToLatest, moveToRow, replyToSelected } from './reading-keys.ts'

/** Actions by their default key. */
export type ShortcutActions = Readonly<Record<string, () => void>>

/** Returns the actions of the shortcuts; `showList` shows the list of shortcuts. */
export function useShortcutActions(showList: () => void): ShortcutActions {
  const navigate = useNavigate()
  const nextUnread = useNextUnread()
  const narrow = useCurrentNarrow()
  const { user_id } = useOrganization()
  return useMemo(() => {
    const goTo = (to: string) => void navigate({ to })
    const goToNext = (kind: 'topic' | 'direct') => {
      const next = nextUnread(kind)
      if (next !== null) void navigate(toLocation(next))
    }
    const goToPlace = (find: typeof conversationAt) => {
      const found = find(narrow, focusedMessage(), user_id)
      if (found !== null) void navigate(toLocation(found.narrow, found.near))
    }
    return {
      '?': showList,
      '/': () => goTo('/search'),
      j: () => moveToRow(1),
      ArrowDown: () => moveToRow(1),
      k: () => moveToRow(-1),
      ArrowUp: () => moveToRow(-1),
      End: jumpToLatest,
      Escape: () => goTo('/inbox'),
      r: replyToSelected,
      Enter: replyToSelected,
      c: replyToSelected,
      n: () => goToNext('topic'),
      p: () => goToNext('direct'),
      x: () => goTo('/dm'),
      s: () => goToPlace(siblingNarrowAt),
      z: () => goToPlace(conversationAt),
      a: () => goTo('/combined'),
      I: () => goTo('/inbox'),
      t: () => goTo('/recent'),
      d: () => goTo('/drafts'),
      q: () => filterPane('channels', () => matchMedia(PHONE).matches && goTo('/chats')),
      w: () => filterPane('people', () => goTo('/people')),
    }
  }, [navigate, nextUnread, narrow, user_id, showList])
}

/** The filter of each pane, or the button that opens the pane where it has no room beside the page. */
const FILTERS = {
  channels: '#conversations, [data-opens="conversations"]',
  people: '.people-side, .people-page, [data-opens="people"]',
} as const

/** Focuses the filter of a pane; calls `elsewhere` if the page has none. */
function filterPane(kind: keyof typeof FILTERS, elsewhere: () => void): void {
  const isHere = [...document.querySelectorAll(FILTERS[kind])].some((part) => part.checkVisibility())
  requestedFilter.set(kind)
  if (!isHere) elsewhere()
}
