import type { ReactNode } from 'react'
import './avatar.css'

/** A user's picture, or the initial of the name without one. Screen readers skip it, since the name is next to it. */
export function Avatar({ name, url }: { name: string; url?: string | null }): ReactNode {
  const isOwn = url?.startsWith('/') && !url.startsWith('//')
  return (
    <span className="avatar" aria-hidden="true">
      {isOwn ? <img src={url ?? undefined} alt="" loading="lazy" /> : [...name.trim()][0]?.toUpperCase()}
    </span>
  )
}
