import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import type { Channel, Subscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import './channel-icon.css'

/** The icon before a channel's name, a lock if it is private; in the user's color for the channel. */
export function ChannelIcon({ channel }: { channel: Pick<Channel, 'invite_only'> & Partial<Subscription> }): ReactNode {
  const { color } = channel
  const look = color === undefined ? {} : { className: 'icon channel-icon', style: { '--channel': color } as object }
  return channel.invite_only ? (
    <Lock className="icon" {...look} role="img" aria-label={t('Private:')} aria-hidden={undefined} />
  ) : (
    <Hash className="icon" {...look} aria-hidden="true" />
  )
}
