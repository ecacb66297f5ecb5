import { type RefObject, useEffect } from 'react'

/** Tells the styles of a list in `--composer` how high the field to write in is, which stays in sight below it. */
export function useComposerHeight(list: RefObject<HTMLElement | null>, isShown: boolean): void {
  useEffect(() => {
    const composer = document.querySelector('.composer')
    const { current } = list
    if (!isShown || composer === null || current === null) return
    const observer = new ResizeObserver(() =>
      current.style.setProperty('--composer', `${composer.getBoundingClientRect().height}px`),
    )
    observer.observe(composer)
    return () => observer.disconnect()
  }, [list, isShown])
}
