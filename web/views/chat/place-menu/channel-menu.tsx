import type { ReactNode } from 'react'
import type { Spot } from '../../../store/messages/narrow.ts'
import { unreadMessages } from '../../../store/messages/unread-messages.ts'
import { type Subscription, useOrganization } from '../../../store/organization.ts'
import { RowMenu } from '../../../ui/table/row-menu.tsx'
import { useSetProperty } from '../../channels/settings/set-property.ts'
import { copy } from '../../message/copy.ts'
import { linkToChannel } from '../../message/links.ts'
import { markReadActs } from './mark-read.ts'

/** What one may do with a channel that one is in. */
export function ChannelMenu({ channel }: { channel: Subscription }): ReactNode {
  const { stream_id, is_muted, pin_to_top, name } = channel
  const { realm_url } = useOrganization()
  const unread = unreadMessages.use()
  const set = useSetProperty(channel)
  const isHere = (spot: Spot) => spot.kind === 'topic' && spot.channelId === stream_id
  return (
    <RowMenu
      label={`Actions on the channel ${name}`}
      items={[
        ...markReadActs(unread, isHere),
        { label: is_muted ? 'Unmute' : 'Mute', act: () => set('is_muted', !is_muted) },
        { label: pin_to_top ? 'Unpin' : 'Pin to the top', act: () => set('pin_to_top', !pin_to_top) },
        { label: 'Copy a link', act: () => void copy(linkToChannel(channel, realm_url), 'The link is copied') },
      ]}
    />
  )
}
