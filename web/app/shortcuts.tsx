import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { hasLetterKeys } from '../store/letter-keys.ts'
import { loadPart } from '../store/load-part.ts'
import { useNextUnread } from '../views/chat/next-unread.ts'
import { toLocation } from '../views/chat/to-location.ts'
import { filterPane } from './filter-pane.ts'
import { endReading, moveToRow, writeAnswer } from './reading-keys.ts'

const ShortcutList = lazy(() => loadPart(() => import('./shortcut-list.tsx')))

/** What has keys of its own, or stands over the page. */
const OWN_KEYS = 'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]'
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Hears the keys that lead through the chat, and lists them. */
export function Shortcuts(): ReactNode {
  const navigate = useNavigate()
  const nextUnread = useNextUnread()
  const [isListed, list] = useState(false)

  useEffect(() => {
    const goTo = (to: string) => void navigate({ to })
    const goToNext = (kind: 'topic' | 'direct') => {
      const next = nextUnread(kind)
      if (next !== null) void navigate(toLocation(next))
    }
    const acts: Readonly<Record<string, () => void>> = {
      '?': () => list(true),
      '/': () => goTo('/search'),
      j: () => moveToRow(1),
      ArrowDown: () => moveToRow(1),
      k: () => moveToRow(-1),
      ArrowUp: () => moveToRow(-1),
      End: endReading,
      r: writeAnswer,
      Enter: writeAnswer,
      c: writeAnswer,
      n: () => goToNext('topic'),
      p: () => goToNext('direct'),
      x: () => goTo('/dm'),
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
      if (key.length === 1 && !hasLetterKeys()) return
      const act = acts[key]
      if (act === undefined || (key === 'End' && document.querySelector('.timeline') === null)) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    // Fields keep what is typed in them from whoever listens later.
    addEventListener('keydown', leavePane, { capture: true })
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('keydown', leavePane, { capture: true })
    }
  }, [navigate, nextUnread])

  return (
    isListed && (
      <Suspense>
        <ShortcutList onClose={() => list(false)} />
      </Suspense>
    )
  )
}

function leavePane({ key, target, isComposing }: KeyboardEvent): void {
  if (key !== 'Escape' || isComposing || !(target instanceof Element)) return
  // A filter in which something stands is emptied first.
  const isFiltering = target instanceof HTMLInputElement && target.type === 'search' && target.value !== ''
  if (target.closest('.composer, .chat-pane, .people-side') !== null && !isFiltering) moveToRow(0)
}
