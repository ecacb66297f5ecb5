import { createAtom, useSelector } from '@tanstack/react-store'
import { type RefObject, useEffect } from 'react'

/** The pane that is open over the page, on narrow windows. */
export const drawer = createAtom<'conversations' | 'people' | null>(null)

/** True while the quick switcher is open. */
export const switcher = createAtom(false)

/** True while the list of keyboard shortcuts is open. */
export const shortcutList = createAtom(false)

/** True while the formatting reference is open. */
export const formattingReference = createAtom(false)

/** The filter that gets the focus as soon as its field is on the page; null if none is requested. */
export const requestedFilter = createAtom<'people' | 'channels' | null>(null)

/** Focuses the filter field when it is requested and visible. */
export function useRequestedFilter(kind: 'people' | 'channels', inside: RefObject<HTMLElement | null>): void {
  const requested = useSelector(requestedFilter)
  useEffect(() => {
    const field = inside.current?.querySelector('input')
    if (requested !== kind || !field?.checkVisibility()) return
    requestedFilter.set(null)
    field.focus()
    field.select()
  }, [requested, kind, inside])
}
