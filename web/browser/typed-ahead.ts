/** The maximum time for which typed characters wait for their field, in milliseconds. */
const MAX_WAIT = 5000

let typed = ''
let stop: (() => void) | null = null
let isForNextPage = false

/**
 * Keeps the characters that the user types until `takeHeldTyping` or `dropHeldTyping` is called, because the field that
 * they are meant for is still being opened. Nothing else gets these keys, nor Enter, which would send a message. The
 * field is on the page that opens next if `field` says so.
 */
export function holdTyping(field: 'here' | 'next-page' = 'here'): void {
  stop?.()
  isForNextPage = field === 'next-page'
  const end = new AbortController()
  const timer = setTimeout(() => stop?.(), MAX_WAIT)
  stop = () => {
    clearTimeout(timer)
    end.abort()
    stop = null
    typed = ''
  }
  addEventListener('keydown', hold, { capture: true, signal: end.signal })
}

function hold(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (event.key === 'Backspace') typed = typed.slice(0, -1)
  else if (Array.from(event.key).length === 1) typed += event.key
  else if (event.key !== 'Enter') return
  event.preventDefault()
  event.stopImmediatePropagation()
}

/** Returns the characters that were kept, and no longer holds keys back. */
export function takeHeldTyping(): string {
  const taken = typed
  dropHeldTyping()
  return taken
}

/** No longer holds keys back. */
function dropHeldTyping(): void {
  stop?.()
}

/** No longer holds keys back when another page opens, unless they are meant for it. */
export function leaveHeldTyping(): void {
  if (!isForNextPage) dropHeldTyping()
  isForNextPage = false
}
