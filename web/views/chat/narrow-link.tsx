import { Link } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { toLocation } from './to-location.ts'

/** A link to a narrow; `near` is a message in it. */
export function NarrowLink(props: {
  narrow: Narrow
  near?: number
  className?: string
  /** A link to a channel also counts as current on its topics. */
  isCurrent?: boolean
  'aria-label'?: string
  onClick?: (event: MouseEvent) => void
  children: ReactNode
}): ReactNode {
  const { narrow, near, className, isCurrent = false, onClick, children } = props
  return (
    <Link
      {...toLocation(narrow, near)}
      className={className}
      {...(onClick !== undefined && { onClick })}
      aria-label={props['aria-label']}
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={NOT_MARKED}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {children}
    </Link>
  )
}

const NOT_MARKED = {}
