import { Link, useNavigate } from '@tanstack/react-router'
import Archive from 'lucide-react/icons/archive'
import EyeOff from 'lucide-react/icons/eye-off'
import Hash from 'lucide-react/icons/hash'
import type { ReactNode } from 'react'
import { mayRead } from '../channels/channel.ts'
import { ChannelAbout } from '../channels/channel-about.tsx'
import { JoinLeave } from '../channels/join-leave.tsx'
import { findListedChannel, type ListedChannel, useReloadedChannel } from '../channels/listing.ts'
import { linkToChannel, linkToTopic } from '../messages/links.ts'
import { topicTitle } from '../messages/narrow.ts'
import { ChannelIcon, TopicName } from '../navigation/conversation-name.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { EmptyPage } from '../navigation/page.tsx'
import { type Channel, useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Empty, TalkDrawing } from '../ui/page-states.tsx'
import { RowMenu } from '../ui/row-menu.tsx'
import * as css from './join-bar.module.css'
import { copyText } from './menus/copy-text.ts'
import { SearchChannel, TopicListLink } from './menus/header-buttons.tsx'
import { MessagesPage } from './messages-page.tsx'

/**
 * The page of a channel that the user is not subscribed to. It shows the channel's messages if the user may read them,
 * and a button to join.
 */
export function OtherChannel({ id, topic }: { id: number; topic: string | null }): ReactNode {
  const organization = useOrganization()
  const known = findListedChannel(organization, id)
  if (known === undefined) return <Unavailable />
  if (!mayRead(organization, known.channel, false)) return <NotReadable known={known} />
  return <Reading key={`${id} ${topic}`} known={known} topic={topic} />
}

/** The page shown for a channel that doesn't exist or that the user can't see. Both cases look the same. */
function Unavailable(): ReactNode {
  return (
    <EmptyPage icon={<EyeOff />} title={t('Channel unavailable')}>
      <p>{t('It doesn’t exist, or you’re not subscribed. Ask a subscriber to add you.')}</p>
      <BrowseLink />
    </EmptyPage>
  )
}

function NotReadable({ known: { channel } }: { known: ListedChannel }): ReactNode {
  return (
    <EmptyPage
      icon={channel.is_archived ? <Archive /> : <Hash />}
      title={t('You’re not subscribed to #{name}', { name: channel.name })}
    >
      <ChannelAbout channel={channel} />
      <BrowseLink />
    </EmptyPage>
  )
}

const BrowseLink = (): ReactNode => (
  <Link to="/channels" className="button">
    {t('Browse channels')}
  </Link>
)

function Reading({ known, topic }: { known: ListedChannel; topic: string | null }): ReactNode {
  const { channel } = known
  const { stream_id: channelId } = channel
  useReloadedChannel(channelId)
  const inChannel = { kind: 'channel', channelId } as const
  const icon = <ChannelIcon channel={channel} />
  return (
    <MessagesPage
      narrow={topic === null ? inChannel : { kind: 'topic', channelId, topic }}
      title={topic === null ? channel.name : topicTitle(topic)}
      {...(topic === null
        ? { icon }
        : {
            shownTitle: <TopicName topic={topic} />,
            before: (
              <NarrowLink narrow={inChannel}>
                {icon}
                {channel.name}
              </NarrowLink>
            ),
          })}
      about={<ChannelAbout channel={channel} />}
      actions={
        <>
          <TopicListLink channel={channel} />
          <SearchChannel channel={channel} />
        </>
      }
      menu={<OtherChannelMenu channel={channel} topic={topic} />}
      keepsUnread
      empty={
        <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
          <p>{t('Join the channel to write the first one.')}</p>
        </Empty>
      }
      composer={<JoinBar known={known} />}
    />
  )
}

/** The bar in place of the compose box. It offers to join the channel, or says that the channel is archived. */
function JoinBar({ known }: { known: ListedChannel }): ReactNode {
  const { channel } = known
  const { name } = channel
  return (
    <aside className={css.joinBar} aria-label={t('Subscription')}>
      <span>
        {channel.is_archived
          ? t('#{name} is archived. Its messages stay readable, but no one can post.', { name })
          : t('You’re not subscribed to #{name}. Join it to post and to get new messages.', { name })}
      </span>
      {!channel.is_archived && <JoinLeave known={known} kind="primary" />}
    </aside>
  )
}

function OtherChannelMenu({ channel, topic }: { channel: Channel; topic: string | null }): ReactNode {
  const { realm_url } = useOrganization('realm_url')
  const navigate = useNavigate()
  const params = { channelId: String(channel.stream_id), section: 'general' }
  const link = topic === null ? linkToChannel(channel, realm_url) : linkToTopic(channel, topic, realm_url)
  return (
    <RowMenu
      label={t('Actions for channel {name}', { name: channel.name })}
      items={[
        {
          label: t('Channel settings'),
          run: () => void navigate({ to: '/channels/$channelId/settings/$section', params }),
        },
        { label: t('Copy link'), run: () => void copyText(link, t('Link copied')) },
      ]}
    />
  )
}
