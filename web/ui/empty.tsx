import type { ReactNode } from 'react'
import './empty.css'

/** What stands where there is nothing yet, and what one can do about it. */
export function Empty({ icon, title, children }: { icon: ReactNode; title: string; children?: ReactNode }): ReactNode {
  return (
    <div className="empty">
      <div className="empty-icon" aria-hidden="true">
        {icon}
      </div>
      <h2>{title}</h2>
      <div className="empty-text">{children}</div>
    </div>
  )
}
