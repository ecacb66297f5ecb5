import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import './composer.css'

/** The line that replaces the compose box if the user can't post. */
export function BlockedComposer({ reason }: { reason: string }): ReactNode {
  return (
    <div className="composer">
      <p className="composer-shut">
        <Lock className="icon" aria-hidden="true" />
        <span>{reason}</span>
      </p>
    </div>
  )
}
