import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import Archive from 'lucide-react/icons/archive'
import EyeOff from 'lucide-react/icons/eye-off'
import Hash from 'lucide-react/icons/hash'
import MessagesSquare from 'lucide-react/icons/messages-square'
import type { ReactNode } from 'react'
import { timeline } from '../../store/messages/messages.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ChannelAbout } from '../channels/channel-about.tsx'
import { JoinLeave } from '../channels/join-leave.tsx'
import { findListedChannel } from '../channels/listing.ts'
import { ChatLayout } from '../chat/chat-layout.tsx'
import { useCurrentNarrow } from '../chat/current-narrow.ts'
import { MessagesPage } from '../chat/messages-page.tsx'
import { NarrowLink } from '../chat/narrow-link.tsx'
import { ChannelMenu } from '../chat/place-menu/channel-menu.tsx'
import { ChannelButtons, TopicButtons } from '../chat/place-menu/topic-buttons.tsx'
import { TopicMenu } from '../chat/place-menu/topic-menu.tsx'
import { Composer } from '../composer/composer.tsx'
import { ChannelIcon } from './channel-icon.tsx'

/** The messages of a subscribed channel, or of one of its topics. */
export function ChannelView(): ReactNode {
  const { channelId } = useParams({ from: '/channels/$channelId' })
  const narrow = useCurrentNarrow()
  const { subscriptions } = useOrganization()
  const channel = subscriptions.find(({ stream_id }) => String(stream_id) === channelId)
  return (
    <ChatLayout>
      {channel === undefined ? (
        <NoChannel id={Number(channelId)} />
      ) : narrow?.kind === 'topic' ? (
        <TopicPage key={`${channel.stream_id} ${narrow.topic}`} channel={channel} topic={narrow.topic} />
      ) : (
        <ChannelPage key={channel.stream_id} channel={channel} />
      )}
    </ChatLayout>
  )
}

/** A channel without a subscription, with a button to join. A channel that the user can't see looks like a missing one. */
function NoChannel({ id }: { id: number }): ReactNode {
  const known = findListedChannel(useOrganization(), id)
  const others = (
    <Link to="/channels" className="button">
      {t('Browse channels')}
    </Link>
  )
  if (known === undefined)
    return (
      <Empty icon={<EyeOff />} isPage title={t('Channel unavailable')}>
        <p>{t('It doesn’t exist, or you’re not subscribed. Ask a subscriber to add you.')}</p>
        {others}
      </Empty>
    )
  return (
    <Empty
      icon={known.channel.is_archived ? <Archive /> : <Hash />}
      isPage
      title={t('You’re not subscribed to #{name}', { name: known.channel.name })}
    >
      <ChannelAbout channel={known.channel} />
      <div className="row">
        <JoinLeave known={known} />
        {others}
      </div>
    </Empty>
  )
}

function ChannelPage({ channel }: { channel: Subscription }): ReactNode {
  const narrow = { kind: 'channel', channelId: channel.stream_id } as const
  const { data } = useQuery({ ...timeline(narrow, 'newest'), enabled: false })
  const newest = useQuery({ ...timeline(narrow, 'first_unread'), enabled: false }).data ?? data
  const suggestedTopic = newest && (newest.messages.at(-1)?.subject ?? '')
  return (
    <MessagesPage
      narrow={narrow}
      title={channel.name}
      icon={<ChannelIcon channel={channel} />}
      about={<ChannelAbout channel={channel} />}
      actions={<ChannelButtons channel={channel} />}
      menu={<ChannelMenu channel={channel} />}
      empty={
        <Empty icon={<MessagesSquare />} title={t('No messages yet')}>
          <p>{t('Write the first message below. Add a topic so that others can find it later.')}</p>
        </Empty>
      }
      composer={
        <Composer
          place={{
            kind: 'channel',
            channelId: channel.stream_id,
            ...(suggestedTopic !== undefined && { suggestedTopic }),
          }}
        />
      }
    />
  )
}

function TopicPage({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const narrow = { kind: 'topic', channelId: channel.stream_id, topic } as const
  return (
    <MessagesPage
      narrow={narrow}
      title={topic === '' ? t('general chat') : topic}
      before={
        <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
          <ChannelIcon channel={channel} />
          {channel.name}
        </NarrowLink>
      }
      about={<ChannelAbout channel={channel} />}
      actions={<TopicButtons channel={channel} topic={topic} />}
      menu={<TopicMenu channel={channel} topic={topic} />}
      empty={
        <Empty icon={<MessagesSquare />} title={t('No messages yet')}>
          <p>{t('Write the first message below.')}</p>
        </Empty>
      }
      composer={<Composer place={narrow} />}
    />
  )
}
