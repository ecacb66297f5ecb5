import { createAtom } from '@tanstack/react-store'

/** A part of the page to which a skip link leads. */
export type Landmark = 'conversations' | 'people' | 'writing'

/**
 * The landmarks on the page. Selectors with `:has()` on the whole page would find them, too, but then each change of the
 * page restyles parts that have nothing to do with it.
 */
export const landmarks = createAtom<ReadonlySet<Landmark>>(new Set<Landmark>())

/** Adds a landmark; returns a function that removes it. */
function addLandmark(name: Landmark): () => void {
  landmarks.set(new Set([...landmarks.get(), name]))
  return () => landmarks.set(new Set([...landmarks.get()].filter((other) => other !== name)))
}

/** Refs of the elements that are landmarks. */
export const conversationsLandmark = () => addLandmark('conversations')
export const peopleLandmark = () => addLandmark('people')
export const writingLandmark = () => addLandmark('writing')

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
