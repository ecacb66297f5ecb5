import { type RefObject, useEffect } from 'react'
import { createStore } from '../../ui/create-store.ts'

/** The filter that somebody asked for, until a field of its kind is there to take the focus. */
export const requestedFilter = createStore<'people' | 'channels' | null>(null)

/** Gives the focus to the field inside as soon as it is asked for and can be seen. */
export function useRequestedFilter(kind: 'people' | 'channels', inside: RefObject<HTMLElement | null>): void {
  const target = requestedFilter.use()
  useEffect(() => {
    const field = inside.current?.querySelector('input')
    if (target !== kind || !field?.checkVisibility()) return
    requestedFilter.set(null)
    field.focus()
    field.select()
  }, [target, kind, inside])
}
