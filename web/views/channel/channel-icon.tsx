import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import type { Channel, Subscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import './channel-icon.css'

/** The icon before a channel's name, in the user's color for the channel. Private channels have a lock. */
export function ChannelIcon({ channel }: { channel: Pick<Channel, 'invite_only'> & Partial<Subscription> }): ReactNode {
  const { color } = channel
  const look = color === undefined ? {} : { className: 'icon channel-icon', style: { '--channel': color } as object }
  return channel.invite_only ? (
    <Lock className="icon" {...look} role="img" aria-label={t('Private:')} aria-hidden={undefined} />
  ) : (
    <Hash className="icon" {...look} aria-hidden="true" />
  )
}
