import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import type { Narrow } from '../messages/narrow.ts'
import { toLocation } from './narrow-location.ts'

/**
 * A link to a narrow; `near` is a message in it. Unlike the router's own links, it does not observe the location, since
 * a page has hundreds of links.
 */
export function NarrowLink(props: {
  narrow: Narrow
  near?: number
  className?: string
  /** True if the link leads to the current page, or to the channel of the current topic. */
  isCurrent?: boolean
  'aria-label'?: string
  title?: string
  onClick?: (event: MouseEvent) => void
  children: ReactNode
}): ReactNode {
  const { narrow, near, className, isCurrent = false, onClick, children } = props
  const router = useRouter()
  const location = toLocation(narrow, near)
  // If preloading fails, the page loads its code when it opens.
  const preload = () => void router.preloadRoute(location).catch(() => {})

  function follow(event: MouseEvent) {
    onClick?.(event)
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0
    if (event.defaultPrevented || isElsewhere) return
    event.preventDefault()
    void router.navigate(location)
  }

  return (
    <a
      href={`${location.to}${router.options.stringifySearch(location.search)}`}
      className={className}
      aria-label={props['aria-label']}
      title={props.title}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={follow}
      onMouseEnter={preload}
      onFocus={preload}
      onTouchStart={preload}
    >
      {children}
    </a>
  )
}
