import { useSyncExternalStore } from 'react'

const KEY = 'parley.letter-keys'
const OFF = 'off'

const listeners = new Set<() => void>()
let areOn = read()

function read(): boolean {
  try {
    return localStorage.getItem(KEY) !== OFF
  } catch {
    return true
  }
}

/** Whether single letters and signs are shortcuts on this device. Whoever speaks to the computer may want them off. */
export const hasLetterKeys = (): boolean => areOn

export function useLetterKeys(): [areOn: boolean, set: (areOn: boolean) => void] {
  const shown = useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, hasLetterKeys)
  return [shown, set]
}

function set(next: boolean): void {
  areOn = next
  try {
    if (next) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, OFF)
  } catch {
    // Without storage it lasts as long as the page.
  }
  for (const listener of listeners) listener()
}
