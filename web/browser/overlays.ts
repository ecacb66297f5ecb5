import { type RefObject, useEffect } from 'react'
import { createStore } from '../ui/create-store.ts'

/** The pane that is open over the page, on narrow windows. */
export const drawer = createStore<'conversations' | 'people' | null>(null)

/** True while the quick switcher is open. */
export const switcher = createStore(false)

/** True while the list of keyboard shortcuts is open. */
export const shortcutList = createStore(false)

/** True while the formatting reference is open. */
export const formattingReference = createStore(false)

/** The filter that gets the focus as soon as its field is on the page; null if none is requested. */
export const requestedFilter = createStore<'people' | 'channels' | null>(null)

/** Focuses the filter field when it is requested and visible. */
export function useRequestedFilter(kind: 'people' | 'channels', inside: RefObject<HTMLElement | null>): void {
  const requested = requestedFilter.use()
  useEffect(() => {
    const field = inside.current?.querySelector('input')
    if (requested !== kind || !field?.checkVisibility()) return
    requestedFilter.set(null)
    field.focus()
    field.select()
  }, [requested, kind, inside])
}
