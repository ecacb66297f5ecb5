import { type RefObject, useEffect } from 'react'

/** Sets `--composer` of a list to the height of the compose box, which stays visible below it. */
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
