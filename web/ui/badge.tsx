import type { ReactNode } from 'react'
import * as css from './badge.module.css'

export type BadgeKind = 'plain' | 'quiet' | 'accent' | 'good' | 'warn' | 'danger'

/** A status with an icon, so that color is never the only sign. */
export function Badge({
  kind = 'plain',
  icon,
  children,
}: {
  kind?: BadgeKind
  icon?: ReactNode
  children: ReactNode
}): ReactNode {
  return (
    <span className={css.badge} data-kind={kind}>
      {icon}
      {children}
    </span>
  )
}
