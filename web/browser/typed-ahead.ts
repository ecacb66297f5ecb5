import { createAtom } from '@tanstack/react-store'
import { setRunningTimer } from '../ui/timers.ts'

/** The maximum time for which typed characters wait for their field, in milliseconds. It may be loading. */
const MAX_WAIT = 15_000

/** The characters that were typed, and a function that no longer holds keys back; null while none are held back. */
const held = createAtom<{ typed: string; isForNextPage: boolean; stop: () => void } | null>(null)

/**
 * Keeps the characters that the user types until `takeHeldTyping` or `dropHeldTyping` is called, because the field that
 * they are meant for is still being opened. Nothing else gets these keys, nor Enter, which would send a message. The
 * field is on the page that opens next if `field` says so.
 */
export function holdTyping(field: 'here' | 'next-page' = 'here'): void {
  dropHeldTyping()
  const end = new AbortController()
  const stopTimer = setRunningTimer(dropHeldTyping, MAX_WAIT)
  const stop = () => {
    stopTimer()
    end.abort()
    held.set(null)
  }
  held.set({ typed: '', isForNextPage: field === 'next-page', stop })
  addEventListener('keydown', hold, { capture: true, signal: end.signal })
}

function hold(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  const isCharacter = Array.from(event.key).length === 1
  if (!isCharacter && event.key !== 'Backspace' && event.key !== 'Enter') return
  const after = (typed: string) =>
    isCharacter ? typed + event.key : event.key === 'Enter' ? typed : typed.slice(0, -1)
  held.set((known) => known && { ...known, typed: after(known.typed) })
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Returns the characters that were kept, and no longer holds keys back. */
export function takeHeldTyping(): string {
  const taken = held.get()?.typed ?? ''
  dropHeldTyping()
  return taken
}

/** No longer holds keys back. */
function dropHeldTyping(): void {
  held.get()?.stop()
}

/** No longer holds keys back when another page opens, unless they are meant for it. */
export function leaveHeldTyping(): void {
  if (held.get()?.isForNextPage) held.set((known) => known && { ...known, isForNextPage: false })
  else dropHeldTyping()
}
