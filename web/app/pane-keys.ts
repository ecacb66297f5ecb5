const PANES = 'main, [data-pane]'

/** Lets F6 and Shift+F6 go from one part of the page to the next. Returns what ends it. */
export function listenForPaneKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'F6' || document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return
    const panes = [...document.querySelectorAll<HTMLElement>(PANES)].filter((pane) => pane.checkVisibility())
    const here = panes.findLastIndex((pane) => pane.contains(document.activeElement))
    const next = panes.at((here + (event.shiftKey ? -1 : 1)) % panes.length)
    if (next === undefined) return
    event.preventDefault()
    focusIn(next)
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Focuses what stands first in a pane. */
function focusIn(pane: HTMLElement): void {
  const target = pane.querySelector<HTMLElement>('a[href], button:not([disabled]), input, textarea') ?? pane
  target.focus()
}
