import { useState } from 'react'

/**
 * Returns true if the value has changed while it is on the screen, and its new value is not `sent`, the last value that
 * this page has sent.
 */
export function useChangedElsewhere(value: unknown, sent: unknown): boolean {
  const [seen, setSeen] = useState(value)
  const [isChanged, setChanged] = useState(false)
  if (isSameValue(value, seen)) return isChanged
  setSeen(value)
  setChanged(!isSameValue(value, sent))
  return !isSameValue(value, sent)
}

export const isSameValue = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)
