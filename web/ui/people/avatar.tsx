import type { ReactNode } from 'react'
import './avatar.css'

/** A person's picture, or the first letter of their name where there is none. It says nothing: the name stands beside. */
export function Avatar({ name, url }: { name: string; url?: string | null }): ReactNode {
  const isOwn = url?.startsWith('/') && !url.startsWith('//')
  return (
    <span className="avatar" aria-hidden="true">
      {isOwn ? <img src={url ?? undefined} alt="" loading="lazy" /> : [...name.trim()][0]?.toUpperCase()}
    </span>
  )
}
