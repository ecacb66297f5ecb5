import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import './notice.css'

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, danger: CircleAlert }

/** A notice in the page. If `isUrgent`, screen readers announce it immediately. */
export function Notice(props: {
  kind?: keyof typeof ICONS
  title?: string
  isUrgent?: boolean
  children?: ReactNode
}): ReactNode {
  const { kind = 'info', title, isUrgent = false, children } = props
  const Icon = ICONS[kind]
  return (
    <div className={`notice notice-${kind}`} role={isUrgent ? 'alert' : undefined}>
      <Icon className="icon" aria-hidden="true" />
      <div className="notice-text">
        {title !== undefined && <p className="notice-title">{title}</p>}
        {children}
      </div>
    </div>
  )
}
