import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { loadPart } from '../store/load-part.ts'
import { useOrganization } from '../store/organization.ts'
import { keyChoice, meaningOf } from '../store/shortcut-keys.ts'
import { useCurrentNarrow } from '../views/chat/current-narrow.ts'
import { useNextUnread } from '../views/chat/next-unread.ts'
import { toLocation } from '../views/chat/to-location.ts'
import { filterPane } from './filter-pane.ts'
import { chosenMessage, endReading, moveToRow, writeAnswer } from './reading-keys.ts'
import { placeAround, placeBeside } from './reading-places.ts'

const ShortcutList = lazy(() => loadPart(() => import('./shortcut-list.tsx')))

/** What has keys of its own, or stands over the page. */
const OWN_KEYS = 'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]'
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Hears the keys that lead through the chat, and lists them. */
export function Shortcuts(): ReactNode {
  const navigate = useNavigate()
  const nextUnread = useNextUnread()
  const narrow = useCurrentNarrow()
  const { user_id } = useOrganization()
  const [isListed, list] = useState(false)

  useEffect(() => {
    const goTo = (to: string) => void navigate({ to })
    const goToNext = (kind: 'topic' | 'direct') => {
      const next = nextUnread(kind)
      if (next !== null) void navigate(toLocation(next))
    }
    const goToPlace = (find: typeof placeAround) => {
      const place = find(narrow, chosenMessage(), user_id)
      if (place !== null) void navigate(toLocation(place.narrow, place.near))
    }
    const acts: Readonly<Record<string, () => void>> = {
      '?': () => list(true),
      '/': () => goTo('/search'),
      j: () => moveToRow(1),
      ArrowDown: () => moveToRow(1),
      k: () => moveToRow(-1),
      ArrowUp: () => moveToRow(-1),
      End: endReading,
      Escape: () => goTo('/inbox'),
      r: writeAnswer,
      Enter: writeAnswer,
      c: writeAnswer,
      n: () => goToNext('topic'),
      p: () => goToNext('direct'),
      x: () => goTo('/dm'),
      s: () => goToPlace(placeBeside),
      z: () => goToPlace(placeAround),
      a: () => goTo('/combined'),
      I: () => goTo('/inbox'),
      t: () => goTo('/recent'),
      d: () => goTo('/drafts'),
      q: () => filterPane('channels', () => goTo('/')),
      w: () => filterPane('people', () => goTo('/people')),
    }
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      const isInField = target instanceof Element && target.closest(OWN_KEYS) !== null
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        return goTo('/search')
      }
      if (event.ctrlKey || event.metaKey || isInField || document.querySelector(OVER_THE_PAGE) !== null) return
      const isOnRow = target instanceof Element && target.matches('[data-message]')
      const isArrow = key === 'ArrowDown' || key === 'ArrowUp' || key === 'Enter'
      if (isArrow && !isOnRow) return
      if (key === 'End' && document.querySelector('.timeline') === null) return
      if (key === 'Escape' && (narrow === null || wasOver || !isReading(target))) return
      const meaning = [...key].length === 1 ? meaningOf(keyChoice(), key) : key
      const act = meaning === null ? undefined : acts[meaning]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    // What Escape closes is gone by the time that the page hears of it.
    let wasOver = false
    const onKeyFirst = (event: KeyboardEvent) => {
      wasOver = document.querySelector(OVER_THE_PAGE) !== null
      if (event.key === 'Escape' && !event.isComposing) leavePane(event)
    }
    addEventListener('keydown', onKey)
    // Fields keep what is typed in them from whoever listens later.
    addEventListener('keydown', onKeyFirst, { capture: true })
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('keydown', onKeyFirst, { capture: true })
    }
  }, [navigate, nextUnread, narrow, user_id])

  return (
    isListed && (
      <Suspense>
        <ShortcutList onClose={() => list(false)} />
      </Suspense>
    )
  )
}

const isReading = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('body, main, [data-message]')

const isInPane = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.composer, .chat-pane, .people-side') !== null

function leavePane({ target }: KeyboardEvent): void {
  // A filter in which something stands is emptied first.
  const isFiltering = target instanceof HTMLInputElement && target.type === 'search' && target.value !== ''
  if (isInPane(target) && !isFiltering) moveToRow(0)
}
