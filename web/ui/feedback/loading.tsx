import type { ReactNode } from 'react'
import './loading.css'

/** A placeholder for content that is loading. It has `lines` bars, and a label for screen readers. */
export function Loading({ label, lines = 3 }: { label: string; lines?: number }): ReactNode {
  return (
    <div className="loading" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="loading-bar" aria-hidden="true" />
      ))}
    </div>
  )
}
