import { type RefObject, useEffect, useState } from 'react'

/** Returns true if a floating element overlaps the focused one; elements as large as the page don't count. */
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
