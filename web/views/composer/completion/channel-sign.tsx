import Archive from 'lucide-react/icons/archive'
import Globe from 'lucide-react/icons/globe'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import type { Channel } from '../../../store/organization.ts'

type Shown = Pick<Channel, 'invite_only' | 'is_web_public' | 'is_archived'>

/** The icon of a channel, which shows its privacy. */
export function ChannelSign({ channel }: { channel: Shown }): ReactNode {
  const Icon = channel.is_archived ? Archive : channel.invite_only ? Lock : channel.is_web_public ? Globe : Hash
  return <Icon className="icon" aria-hidden="true" />
}
