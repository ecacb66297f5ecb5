const PANES = 'main, [data-pane]'

/** Moves the focus between panes with F6 and Shift+F6. Returns a function that stops this. */
export function listenForPaneKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'F6' || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return
    const panes = [...document.querySelectorAll<HTMLElement>(PANES)].filter((pane) => pane.checkVisibility())
    const here = panes.findLastIndex((pane) => pane.contains(document.activeElement))
    const before = here === -1 ? -1 : here - 1
    const next = panes.at(event.shiftKey ? before : (here + 1) % panes.length)
    if (next === undefined) return
    event.preventDefault()
    focusIn(next)
  }
  // Fields stop the propagation of their keys.
  addEventListener('keydown', onKey, { capture: true })
  return () => removeEventListener('keydown', onKey, { capture: true })
}

const STOPS = 'a[href], button:not([disabled]), input, textarea, [tabindex="0"]'

/** Focuses the current message in a pane, or else its first focusable element, or else the pane itself. */
export function focusIn(pane: HTMLElement): void {
  const isOwn = (stop: HTMLElement) => stop.closest(PANES) === pane && stop.checkVisibility()
  const row = pane.querySelector<HTMLElement>('[data-message][tabindex="0"]')
  const target = row ?? [...pane.querySelectorAll<HTMLElement>(STOPS)].find(isOwn) ?? pane
  target.focus()
}
