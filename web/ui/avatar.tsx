import type { ReactNode } from 'react'
import './avatar.css'
import Users from 'lucide-react/icons/users'
import { initials } from '../text/names.ts'

export type PresenceKind = 'active' | 'idle' | 'offline' | 'hidden'

/** Presence as a shape: a disc, half a disc, a ring, or a crossed ring. The text is next to it. */
export function PresenceDot({ kind }: { kind: PresenceKind }): ReactNode {
  return (
    <svg className="presence-dot" data-kind={kind} viewBox="0 0 16 16" aria-hidden="true">
      <circle cx="8" cy="8" r="6" className="presence-ring" />
      {kind === 'active' && <circle cx="8" cy="8" r="6" className="presence-fill" />}
      {kind === 'idle' && <path d="M8 2a6 6 0 0 0 0 12z" className="presence-fill" />}
      {kind === 'hidden' && <path d="M3 13 13 3" className="presence-ring" />}
    </svg>
  )
}

/** The number of evenly spaced hues of avatars, and the distance between the hues of consecutive ids. */
const HUES = 12
const STEP = 5

/** Returns the number of the hue of a user, for `data-hue`. */
export const avatarHue = (id: number): number => (id * STEP) % HUES

/**
 * A user's picture, or else the initials of their name in a color whose hue depends only on the user's id. Screen
 * readers skip the avatar, since the name is next to it.
 */
export function Avatar(props: {
  name: string
  url?: string | null
  /** The id of the user, which determines the hue. */
  id?: number
  /** The presence that a dot at the corner shows; null for none. */
  presence?: PresenceKind | null
}): ReactNode {
  const { name, url, id, presence = null } = props
  const isOwn = url?.startsWith('/') && !url.startsWith('//')
  const avatar = (
    <span className="avatar" data-hue={id === undefined ? undefined : avatarHue(id)} aria-hidden="true">
      {isOwn ? <img src={url ?? undefined} alt="" loading="lazy" /> : initials(name)}
    </span>
  )
  if (presence === null || presence === 'hidden') return avatar
  return (
    <span className="avatar-frame" aria-hidden="true">
      {avatar}
      <PresenceDot kind={presence} />
    </span>
  )
}

/** The picture of a conversation with several others. */
export const GroupAvatar = (): ReactNode => (
  <span className="avatar avatar-group" aria-hidden="true">
    <Users className="icon" />
  </span>
)
