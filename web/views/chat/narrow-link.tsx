import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { toLocation } from './to-location.ts'

/** A link to what is narrowed to; `near` leads to a message in it. */
export function NarrowLink(props: {
  narrow: Narrow
  near?: number
  className?: string
  /** Whether a link to a channel is one to its topics, too. */
  isCurrent?: boolean
  'aria-label'?: string
  children: ReactNode
}): ReactNode {
  const { narrow, near, className, isCurrent = false, children } = props
  return (
    <Link
      {...toLocation(narrow, near)}
      className={className}
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
