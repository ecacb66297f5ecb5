import { useSelector } from '@tanstack/react-store'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { changeLayout } from '../../browser/layout.ts'
import { formattingReference, shortcutList, switcher } from '../../browser/overlays.ts'
import { holdTyping } from '../../browser/typed-ahead.ts'
import { shownTimeline } from '../../message-view/row-elements.ts'
import { useCurrentNarrow } from '../../navigation/narrow-location.ts'
import { useAccountDialogs, useLogOut } from '../../sidebar/account-menu.tsx'
import { useOwnId } from '../../store/organization.ts'
import { commandForKey, shortcutSettings } from '../../store/shortcuts.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { loadPart } from '../../ui/load-part.ts'
import { moveToRow } from './reading-keys.ts'
import { useShortcutActions } from './use-shortcut-actions.ts'

const Switcher = lazy(() => loadPart(() => import('../switcher/switcher.tsx')))
const FormattingReference = lazyPart(
  async () => (await import('../../composer/formatting-reference.tsx')).FormattingReference,
)
const ShortcutList = lazy(() => loadPart(() => import('./shortcut-list.tsx')))

/** Selectors of the elements that handle keys themselves, and of those that cover the page. */
const OWN_KEYS = 'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]'
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Handles the keyboard shortcuts. Shows the shortcut list and the quick switcher while they are open. */
export function Shortcuts(): ReactNode {
  const narrow = useCurrentNarrow()
  const isListed = useSelector(shortcutList)
  const actions = useShortcutActions(showList)
  const isSwitcherOpen = useSelector(switcher)
  const isReferenceOpen = useSelector(formattingReference)
  const { logOut, dialog } = useLogOut(useOwnId())
  const { open, dialogs } = useAccountDialogs()

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      const isInField = target instanceof Element && target.closest(OWN_KEYS) !== null
      if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault()
        // The focus stays in the compose box until the switcher appears.
        if (!switcher.get()) holdTyping()
        return switcher.set(true)
      }
      if (event.ctrlKey || event.metaKey || isInField || document.querySelector(OVER_THE_PAGE) !== null) return
      if (ON_ROWS.has(key) && !(target instanceof Element && target.matches('[data-message]'))) return
      if (key === 'Escape' ? isInPane(target) : WHILE_READING.has(key) && (narrow === null || !isReading(target)))
        return
      if (key === 'End' && shownTimeline() === null) return
      if (key === 'Escape' && wasOver) return
      const meaning = WHILE_READING.has(key)
        ? `${event.shiftKey ? 'Shift+' : ''}${key}`
        : [...key].length === 1
          ? commandForKey(shortcutSettings(), key)
          : key
      const byName: Readonly<Record<string, (() => void) | undefined>> = actions
      const action = meaning === null ? undefined : byName[meaning]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    // When `onKey` gets Escape, the overlay that it closes is already gone.
    let wasOver = false
    const onKeyFirst = (event: KeyboardEvent) => {
      wasOver = document.querySelector(OVER_THE_PAGE) !== null
      if (event.isComposing) return
      if (event.key === '[' && event.ctrlKey) {
        event.preventDefault()
        event.stopPropagation()
        const isInField = event.target instanceof Element && event.target.closest(OWN_KEYS) !== null
        if (wasOver || isInField || isInPane(event.target)) pressEscape(event.target)
        else actions['Ctrl+[']()
        return
      }
      if (event.key === 'Escape') leavePane(event)
    }
    addEventListener('keydown', onKey)
    // Fields stop the propagation of their keys.
    addEventListener('keydown', onKeyFirst, { capture: true })
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('keydown', onKeyFirst, { capture: true })
    }
  }, [actions, narrow])

  return (
    <Suspense>
      {isListed && <ShortcutList onClose={() => shortcutList.set(false)} />}
      {isReferenceOpen && <FormattingReference onClose={() => formattingReference.set(false)} />}
      {isSwitcherOpen && (
        <Switcher
          actions={actions}
          account={{ logOut, setStatus: () => open('status') }}
          onClose={() => switcher.set(false)}
        />
      )}
      {dialog}
      {dialogs}
    </Suspense>
  )
}

/** Keys that act only on a focused message. */
const ON_ROWS: ReadonlySet<string> = new Set(['ArrowDown', 'ArrowUp', 'Enter'])

/** Keys with a meaning in browsers. They act on conversations only while no control has the focus. */
const WHILE_READING: ReadonlySet<string> = new Set(['Escape', 'Home', 'PageDown', 'PageUp', ' ', 'ArrowLeft'])

/** Ctrl+[ closes what Escape closes, since the Escape key is far away on some keyboards. */
function pressEscape(target: EventTarget | null): void {
  target?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
}

const showList = () => shortcutList.set(true)

const isReading = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('body, main, [data-message]')

const isInPane = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('.composer, .chat-pane, .people-side') !== null

/** Parts of the compose box that Escape closes before it leaves the box. */
const CLOSED_FIRST = '.suggestions, .composer[data-expanded]'

function leavePane({ target }: KeyboardEvent): void {
  // The first Escape only clears a filter.
  const isFiltering = target instanceof HTMLInputElement && target.type === 'search' && target.value !== ''
  if (!isInPane(target) || isFiltering || document.querySelector(CLOSED_FIRST) !== null) return
  moveToRow(0)
  if (target instanceof Element && target.closest('.people-side') !== null) changeLayout({ showsPeople: false })
}
