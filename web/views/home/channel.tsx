import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import EyeOff from 'lucide-react/icons/eye-off'
import MessagesSquare from 'lucide-react/icons/messages-square'
import { type ReactNode, useEffect, useRef } from 'react'
import { timeline } from '../../store/messages.ts'
import { type Subscription, useOrganization } from '../../store/organization.ts'
import { toTrouble } from '../../store/trouble.ts'
import { Empty } from '../../ui/empty.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PageHead } from '../../ui/page.tsx'
import './channel.css'
import { ChannelLayout } from './channel-layout.tsx'
import { Composer } from './composer.tsx'
import { MessageList } from './message-list.tsx'

/** The latest messages of a channel that one is in. */
export function Channel(): ReactNode {
  const { channelId } = useParams({ from: '/channels/$channelId' })
  const { subscriptions } = useOrganization()
  const channel = subscriptions.find(({ stream_id }) => String(stream_id) === channelId)
  return (
    <ChannelLayout>
      <Link to="/" className="channel-back">
        <ArrowLeft className="icon" aria-hidden="true" /> All channels
      </Link>
      {channel === undefined ? <NoChannel /> : <ChannelPage key={channel.stream_id} channel={channel} />}
    </ChannelLayout>
  )
}

/** Whether one reads what is newest, and not something further up. */
const isNearEnd = () => document.documentElement.scrollHeight - scrollY - innerHeight < innerHeight / 2

function NoChannel(): ReactNode {
  return (
    <Empty icon={<EyeOff />} isPage title="You cannot see this channel">
      <p>It does not exist, or you are not in it. Ask somebody who is to add you.</p>
    </Empty>
  )
}

function ChannelPage({ channel }: { channel: Subscription }): ReactNode {
  const { realm_name } = useOrganization()
  const { data, error, refetch } = useQuery(timeline({ kind: 'channel', channelId: channel.stream_id }, 'newest'))
  const messages = data?.messages
  const end = useRef<HTMLDivElement>(null)
  const lastId = messages?.at(-1)?.id
  const shownId = useRef<number>(undefined)
  useEffect(() => {
    if (lastId === undefined) return
    if (shownId.current === undefined || isNearEnd()) end.current?.scrollIntoView({ block: 'end' })
    shownId.current = lastId
  }, [lastId])

  return (
    <>
      <PageHead title={channel.name} within={realm_name}>
        {channel.description !== '' && <p>{channel.description}</p>}
      </PageHead>
      {error !== null && <ErrorNotice trouble={toTrouble(error)} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <Loading label="Loading the messages" lines={6} />}
      {messages?.length === 0 && (
        <Empty icon={<MessagesSquare />} title="Nothing was said here yet">
          <p>Write the first message below. Its topic says what it is about, so that others find it later.</p>
        </Empty>
      )}
      {messages !== undefined && messages.length > 0 && <MessageList messages={messages} />}
      <div ref={end} className="channel-end" />
      <Composer channels={[channel]} {...(messages?.at(-1) && { suggestedTopic: messages.at(-1)!.subject })} />
    </>
  )
}
