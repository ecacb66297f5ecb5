import { useLayoutEffect, useRef, useState } from 'react'

// biome-ignore lint/suspicious/noExplicitAny: functions with parameters of any types
type Callbacks = Record<string, (...args: any[]) => unknown>

/**
 * Returns functions that stay the same and call the latest given ones, so that memoized components are not rendered
 * again.
 */
export function useStableCallbacks<Given extends Callbacks>(given: Given): Given {
  const latest = useRef(given)
  useLayoutEffect(() => {
    latest.current = given
  })
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(given).map((name) => [name, (...args: unknown[]) => latest.current[name]!(...args)]),
    ),
  )
  return stable as Given
}
