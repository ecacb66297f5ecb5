import { useNavigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import BellOff from 'lucide-react/icons/bell-off'
import BellRing from 'lucide-react/icons/bell-ring'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import Pin from 'lucide-react/icons/pin'
import PinOff from 'lucide-react/icons/pin-off'
import Plug from 'lucide-react/icons/plug'
import Plus from 'lucide-react/icons/plus'
import Settings from 'lucide-react/icons/settings'
import type { ReactNode } from 'react'
import { useSetProperty } from '../../channels/set-property.ts'
import { linkToChannel } from '../../messages/links.ts'
import type { ConversationRef } from '../../messages/narrow.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import type { MenuAction } from '../../ui/menu.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { useMarkReadActions } from '../unread-actions.ts'
import { useStartTopic } from '../use-open-channel.ts'
import { copyText } from './copy-text.ts'

export function ChannelMenu({ channel }: { channel: Subscription }): ReactNode {
  const items = useChannelActions(channel)
  return <RowMenu label={t('Actions for channel {name}', { name: channel.name })} items={items} />
}

export function useChannelActions(channel: Subscription): MenuAction[] {
  const { stream_id, is_muted, pin_to_top } = channel
  const { realm_url, is_guest } = useOrganization('realm_url', 'is_guest')
  const navigate = useNavigate()
  const set = useSetProperty(channel)
  const startTopic = useStartTopic()
  const isHere = (conversation: ConversationRef) =>
    conversation.kind === 'topic' && conversation.channelId === stream_id
  const markRead = useMarkReadActions(isHere, { kind: 'channel', channelId: stream_id })
  return [
    ...markRead,
    {
      label: is_muted ? t('Unmute channel') : t('Mute channel'),
      icon: is_muted ? Bell : BellOff,
      startsGroup: true,
      run: () => set('is_muted', !is_muted),
    },
    {
      label: pin_to_top ? t('Unpin channel from top') : t('Pin channel to top'),
      icon: pin_to_top ? PinOff : Pin,
      run: () => set('pin_to_top', !pin_to_top),
    },
    { label: t('New topic'), icon: Plus, startsGroup: true, run: () => startTopic(stream_id) },
    {
      label: t('All topics'),
      icon: List,
      run: () => void navigate({ to: '/channels/$channelId/topics', params: { channelId: String(stream_id) } }),
    },
    {
      label: t('Notification settings'),
      icon: BellRing,
      startsGroup: true,
      run: () =>
        void navigate({
          to: '/channels/$channelId/settings/$section',
          params: { channelId: String(stream_id), section: 'personal' },
        }),
    },
    {
      label: t('Channel settings'),
      icon: Settings,
      run: () =>
        void navigate({
          to: '/channels/$channelId/settings/$section',
          params: { channelId: String(stream_id), section: 'subscribers' },
        }),
    },
    ...(is_guest
      ? []
      : [
          {
            label: t('Add integration…'),
            icon: Plug,
            run: () => void navigate({ to: '/add-integration', search: { channel: stream_id } }),
          },
        ]),
    {
      label: t('Copy link'),
      icon: Link,
      run: () => void copyText(linkToChannel(channel, realm_url), t('Link copied')),
    },
  ]
}
