import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { timeline } from '../../store/messages/messages.ts'
import type { Subscription } from '../../store/organization.ts'
import { ErrorNotice } from '../../ui/feedback/error-notice.tsx'
import { Loading } from '../../ui/feedback/loading.tsx'
import { ChannelAbout } from '../channels/channel-about.tsx'
import { ChannelIcon } from './channel-icon.tsx'
import './channel-card.css'
import { t } from '../../text/t.ts'
import { MessageList } from '../message/message-list.tsx'

/** The number of messages that are shown per channel. */
const LATEST = 3

/** A channel with its latest messages. */
export function ChannelCard({ channel }: { channel: Subscription }): ReactNode {
  const { data, error, refetch } = useQuery(timeline({ kind: 'channel', channelId: channel.stream_id }, 'newest'))
  const titleId = `channel-${channel.stream_id}`
  return (
    <section className="card channel-card" aria-labelledby={titleId}>
      <header className="channel-card-head">
        <h2 id={titleId}>
          <Link
            to="/channels/$channelId"
            params={{ channelId: String(channel.stream_id) }}
            className="channel-card-name"
          >
            <ChannelIcon channel={channel} />
            {channel.name}
          </Link>
        </h2>
        <ChannelAbout channel={channel} className="soft small" />
      </header>
      {error !== null ? (
        <ErrorNotice trouble={toAppError(error)} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading label={t('Loading messages in {name}', { name: channel.name })} />
      ) : data.messages.length === 0 ? (
        <p className="soft">{t('No messages yet. Start the conversation.')}</p>
      ) : (
        <MessageList messages={data.messages.slice(-LATEST)} isShort />
      )}
    </section>
  )
}
