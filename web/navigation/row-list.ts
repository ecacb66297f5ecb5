import type { KeyboardEvent } from 'react'

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** Returns true if the name contains every word of the query, ignoring case and diacritics. */
export function matchesName(name: string, typed: string): boolean {
  const folded = fold(name)
  return fold(typed)
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

/**
 * Moves the focus between the links that match the selector, with the arrow keys, Home and End. The right and left keys
 * expand and collapse a channel.
 */
export function moveInPane(pane: HTMLElement, event: KeyboardEvent, selector = '.pane-link'): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return
  const links = [...pane.querySelectorAll<HTMLElement>(selector)].filter((link) => link.checkVisibility())
  const here = links.findIndex((link) => link.parentElement?.contains(event.target as Node))
  if (here === -1) return
  const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: links.length - 1 }[event.key]
  if (to !== undefined) {
    event.preventDefault()
    links[to]?.focus()
    return
  }
  const isRightToLeft = getComputedStyle(pane).direction === 'rtl'
  const [open, close] = isRightToLeft ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']
  if (event.key !== open && event.key !== close) return
  const requested = event.key === open ? 'false' : 'true'
  links[here]?.parentElement?.querySelector<HTMLElement>(`[aria-expanded="${requested}"]`)?.click()
}
