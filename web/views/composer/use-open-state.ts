import { type RefObject, useEffect, useState } from 'react'

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
  return { value: isOpen || isNeeded, open: () => setOpen(true) }
}

/** Menus and dialogs. They may belong to the compose box. */
const LAYERS = '[role="dialog"], [role="menu"], [role="listbox"], .overlay, .popover, .suggestions'
