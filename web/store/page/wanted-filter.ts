import { type RefObject, useEffect } from 'react'
import { cell } from '../cell.ts'

/** The filter that somebody asked for, until a field of its kind is there to take the focus. */
export const wantedFilter = cell<'people' | 'channels' | null>(null)

/** Gives the focus to the field inside as soon as it is asked for and can be seen. */
export function useWantedFilter(kind: 'people' | 'channels', inside: RefObject<HTMLElement | null>): void {
  const wanted = wantedFilter.use()
  useEffect(() => {
    const field = inside.current?.querySelector('input')
    if (wanted !== kind || !field?.checkVisibility()) return
    wantedFilter.set(null)
    field.focus()
    field.select()
  }, [wanted, kind, inside])
}
