import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import type { Subscription } from '../../store/organization.ts'
import { t } from '../../text/t.ts'

/** The icon before a channel's name, a lock if it is private. */
export function ChannelIcon({ channel }: { channel: Pick<Subscription, 'invite_only'> }): ReactNode {
  return channel.invite_only ? (
    <Lock className="icon" role="img" aria-label={t('Private:')} aria-hidden={undefined} />
  ) : (
    <Hash className="icon" aria-hidden="true" />
  )
}
