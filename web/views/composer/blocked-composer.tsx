import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import './composer.css'

/** The line in place of the compose box where the user can't post. */
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
