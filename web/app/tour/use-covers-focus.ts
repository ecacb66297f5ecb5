import { type RefObject, useEffect, useState } from 'react'

/** Whether an element that floats over the page covers some of what has the focus; what is as large as the page does not count. */
export function useCoversFocus(floating: RefObject<HTMLElement | null>): boolean {
  const [isInTheWay, set] = useState(false)
  useEffect(() => {
    const look = () => {
      const [own, focused] = [floating.current, document.activeElement]
      if (own === null || focused === null || own.contains(focused) || focused.matches('body, main')) set(false)
      else set(overlap(own.getBoundingClientRect(), focused.getBoundingClientRect()))
    }
    look()
    const frame = () => requestAnimationFrame(look)
    document.addEventListener('focusin', frame)
    document.addEventListener('focusout', frame)
    document.addEventListener('scroll', frame, { capture: true, passive: true })
    addEventListener('resize', frame)
    return () => {
      document.removeEventListener('focusin', frame)
      document.removeEventListener('focusout', frame)
      document.removeEventListener('scroll', frame, { capture: true })
      removeEventListener('resize', frame)
    }
  }, [floating])
  return isInTheWay
}

const overlap = (one: DOMRect, other: DOMRect): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
