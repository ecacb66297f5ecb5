import { type RefObject, useEffect, useRef, useState } from 'react'

/**
 * Returns true while a compose box shows all of its tools. It opens when its text gets the focus. If it is empty, it
 * closes when the user acts elsewhere on the page: after a click, not before, so that nothing moves under the pointer.
 */
export function useOpenState(
  form: RefObject<HTMLFormElement | null>,
  isNeeded: boolean,
): { value: boolean; open: () => void } {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen || isNeeded) return
    const end = new AbortController()
    const { signal } = end
    const closeIfOutside = (target: EventTarget | null) => {
      const isInside = target instanceof Element && (form.current?.contains(target) || target.closest(LAYERS) !== null)
      if (!isInside) setOpen(false)
    }
    document.addEventListener('click', ({ target }) => closeIfOutside(target), { signal })
    document.addEventListener('keyup', () => closeIfOutside(document.activeElement), { signal })
    return () => end.abort()
  }, [form, isOpen, isNeeded])
  const value = isOpen || isNeeded
  useSecondClickGuard(form, value)
  return { value, open: () => setOpen(true) }
}

/** Menus and dialogs. They may belong to the compose box. */
const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"], .overlay, .popover, .suggestions'

/** The maximum time between the presses of a double click, in milliseconds, and the distance between them, in pixels. */
const DOUBLE_CLICK = { time: 500, distance: 8 }

const PRESS_EVENTS = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'] as const

/**
 * Ignores the second press of a double click that opens the compose box. Tools have appeared under the pointer, and
 * the focus must stay in the text.
 */
function useSecondClickGuard(form: RefObject<HTMLFormElement | null>, isOpen: boolean): void {
  /** The last press on the closed box, or the last one that was ignored. */
  const opening = useRef<MouseEvent>(null)
  const isIgnored = useRef(false)
  useEffect(() => {
    const end = new AbortController()
    const guard = (event: MouseEvent) => {
      if (event.type === 'pointerdown') {
        const isInText = event.target instanceof Element && event.target.closest('textarea') !== null
        isIgnored.current = isOpen && !isInText && isSecondPress(opening.current, event)
        if (!isOpen || isIgnored.current) opening.current = event
      }
      if (!isIgnored.current) return
      event.stopPropagation()
      // The default action of a press moves the focus and selects words.
      if (event.type !== 'pointerdown') return event.preventDefault()
      // Disabled buttons get no event whose default action could be prevented.
      const text = form.current?.querySelector('textarea')
      if (text && text === document.activeElement) requestAnimationFrame(() => text.focus())
    }
    for (const type of PRESS_EVENTS) form.current?.addEventListener(type, guard, { capture: true, signal: end.signal })
    return () => end.abort()
  }, [form, isOpen])
}

const isSecondPress = (first: MouseEvent | null, second: MouseEvent): boolean =>
  first !== null &&
  second.timeStamp - first.timeStamp < DOUBLE_CLICK.time &&
  Math.hypot(second.clientX - first.clientX, second.clientY - first.clientY) < DOUBLE_CLICK.distance
