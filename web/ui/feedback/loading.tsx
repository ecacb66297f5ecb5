import type { ReactNode } from 'react'
import './loading.css'

/** Stands in for what is on its way: `lines` bars, and words for those who do not see them. */
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
