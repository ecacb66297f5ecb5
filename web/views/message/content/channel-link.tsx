import Globe from 'lucide-react/icons/globe'
import Lock from 'lucide-react/icons/lock'
import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import type { ChannelLinkProps } from '../../../ui/message-html/content-parts.ts'

/** A link to a channel or topic; private and web-public channels have an icon. */
export function ChannelLink({ channelId, href, children }: ChannelLinkProps): ReactNode {
  const { subscriptions, unsubscribed, never_subscribed } = useOrganization()
  const isThis = ({ stream_id }: { stream_id: number }) => stream_id === channelId
  const channel = subscriptions.find(isThis) ?? unsubscribed.find(isThis) ?? never_subscribed.find(isThis)
  const Icon = channel?.invite_only ? Lock : channel?.is_web_public ? Globe : null
  return (
    <a className="channel-link" href={href}>
      {Icon && <Icon className="icon" aria-hidden="true" />}
      {children}
    </a>
  )
}
