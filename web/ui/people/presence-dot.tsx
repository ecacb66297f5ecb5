import type { ReactNode } from 'react'
import './presence-dot.css'

export type PresenceKind = 'active' | 'idle' | 'offline' | 'hidden'

/** Presence as a shape: a disc, half a disc, a ring, or a crossed ring. The text is next to it. */
export function PresenceDot({ kind }: { kind: PresenceKind }): ReactNode {
  return (
    <svg className={`presence-dot presence-${kind}`} viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" className="presence-ring" />
      {kind === 'active' && <circle cx="8" cy="8" r="6" className="presence-fill" />}
      {kind === 'idle' && <path d="M8 2a6 6 0 0 0 0 12z" className="presence-fill" />}
      {kind === 'hidden' && <path d="M3 13 13 3" className="presence-ring" />}
    </svg>
  )
}
