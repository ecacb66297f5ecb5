import { type RefObject, useMemo, useState } from 'react'

/**
 * One showing of a timeline, with the key of its history entry. A timeline that is kept while another one is shown
 * opens anew when the user returns to it, with another object.
 */
export type Visit = { readonly step: string }

/** Like `useRef`, but begins again with each visit of a timeline. */
export const useVisitRef = <Value>(visit: Visit, initial: Value): RefObject<Value> =>
  useMemo(() => ({ current: initial }), [visit])

/** Like `useState`, but begins again with each visit of a timeline. */
export function useVisitState<Value>(
  visit: Visit,
  initial: Value,
): [Value, (change: (before: Value) => Value) => void] {
  const [state, setState] = useState({ visit, value: initial })
  const value = state.visit === visit ? state.value : initial
  const change = (next: (before: Value) => Value) =>
    setState((before) => {
      const current = before.visit === visit ? before.value : initial
      const changed = next(current)
      return before.visit === visit && changed === current ? before : { visit, value: changed }
    })
  return [value, change]
}
