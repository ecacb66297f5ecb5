import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { isResolved } from '#rules/topics.ts'
import { noteComposeFocus, requestCompose, requestComposeOnNextPage } from '../browser/compose-requests.ts'
import { ChannelAbout } from '../channels/channel-about.tsx'
import { Composer } from '../composer/composer.tsx'
import { useDestinationTitle } from '../composer/destination-name.ts'
import { composerOf } from '../composer/use-draft.ts'
import { fetchMessage } from '../messages/message-source.ts'
import { timeline } from '../messages/messages.ts'
import { type ConversationRef, conversationOf, isSameTopic, type Narrow, topicTitle } from '../messages/narrow.ts'
import { useDestination } from '../messages/topics.ts'
import { ChannelIcon } from '../navigation/conversation-name.tsx'
import { NarrowLink } from '../navigation/narrow-link.tsx'
import { toLocation, useCurrentNarrow } from '../navigation/narrow-location.ts'
import { ChatLayout } from '../navigation/page.tsx'
import { type Subscription, useOrganizationPart, useOwnId, useSubscription } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { loadPart } from '../ui/load-part.ts'
import { Empty, Loading, TalkDrawing } from '../ui/page-states.tsx'
import { ChannelMenu } from './menus/channel-menu.tsx'
import { ChannelButtons, ResolvedBar, TopicButtons, TopicTitle } from './menus/header-buttons.tsx'
import { MessagesPage } from './messages-page.tsx'
import { suggestedTopic } from './topic-choices.ts'
import { TopicMenu } from './topic-menu.tsx'
import { openingChannel } from './use-open-channel.ts'

/**
 * If the message of a link has been moved, redirects to the message's current conversation. The page stays as it is if
 * the user can't read the message.
 */
export function useMovedLink(): void {
  // The current location may already belong to the next page while this page is still shown.
  const { channelId } = useParams({ from: '/channels/$channelId' })
  const { topic, near, with: withId } = useSearch({ from: '/channels/$channelId' })
  const ownId = useOwnId()
  const navigate = useNavigate()
  const id = withId ?? near
  useEffect(() => {
    if (id === undefined) return
    const channel = Number(channelId)
    const here: Narrow =
      topic === undefined ? { kind: 'channel', channelId: channel } : { kind: 'topic', channelId: channel, topic }
    let isCurrent = true
    async function follow(messageId: number, from: Narrow) {
      // A cached message may have been moved since.
      const message = await fetchMessage(messageId).catch(() => null)
      if (!isCurrent) return
      const to = message === null ? from : conversationOf(message, ownId)
      const isMoved = to.kind === 'topic' && !isIn(to, from)
      if (isMoved || withId !== undefined) void navigate({ ...toLocation(isMoved ? to : from, near), replace: true })
    }
    void follow(id, here)
    return () => {
      isCurrent = false
    }
  }, [channelId, topic, id, near, withId, ownId, navigate])
}

const isIn = (topic: Extract<Narrow, { kind: 'topic' }>, narrow: Narrow): boolean =>
  (narrow.kind === 'topic' || narrow.kind === 'channel') &&
  narrow.channelId === topic.channelId &&
  (narrow.kind === 'channel' || isSameTopic(narrow.topic, topic.topic))

const OtherChannel = lazy(() => loadPart(async () => ({ default: (await import('./other-channel.tsx')).OtherChannel })))

/** The messages of a channel, or of one of its topics. */
export function ChannelView(): ReactNode {
  const { channelId } = useParams({ from: '/channels/$channelId' })
  const narrow = useCurrentNarrow()
  const channel = useSubscription(Number(channelId))
  const topic = narrow?.kind === 'topic' ? narrow.topic : null
  useMovedLink()
  return (
    <ChatLayout>
      {channel === undefined ? (
        <Suspense>
          <OtherChannel id={Number(channelId)} topic={topic} />
        </Suspense>
      ) : topic === null ? (
        <ChannelPage channel={channel} />
      ) : (
        <TopicPage channel={channel} topic={topic} />
      )}
    </ChatLayout>
  )
}

function ChannelPage({ channel }: { channel: Subscription }): ReactNode {
  const narrow = { kind: 'channel', channelId: channel.stream_id } as const
  const { data } = useQuery({ ...timeline(narrow, 'newest'), enabled: false })
  const newest = useQuery({ ...timeline(narrow, 'first_unread'), enabled: false }).data ?? data
  const systemBots = useOrganizationPart(({ cross_realm_bots }) => cross_realm_bots)
  const systemBotIds = systemBots.map(({ user_id }) => user_id)
  const isOpening = useSelector(openingChannel) === channel.stream_id
  return (
    <MessagesPage
      narrow={narrow}
      title={channel.name}
      icon={<ChannelIcon channel={channel} />}
      about={<ChannelAbout key={channel.stream_id} channel={channel} />}
      actions={<ChannelButtons key={channel.stream_id} channel={channel} />}
      menu={<ChannelMenu key={channel.stream_id} channel={channel} />}
      {...(isOpening && { instead: <Loading label={t('Loading messages')} lines={6} /> })}
      empty={<NoMessages key={channel.stream_id} channelId={channel.stream_id} />}
      composer={
        <Composer
          key={channel.stream_id}
          page={{
            kind: 'channel',
            channelId: channel.stream_id,
            ...(newest !== undefined && { suggestedTopic: suggestedTopic(newest.messages, systemBotIds) }),
          }}
        />
      }
    />
  )
}

/**
 * The channel without messages. Its compose box gets the focus, because the page has nothing else to use. On touch
 * screens, the keyboard would cover the page.
 */
function NoMessages({ channelId }: { channelId: number }): ReactNode {
  useEffect(() => {
    const focused = document.activeElement
    // The shell focuses `main` after navigation. Before that, the link that was clicked has the focus.
    const isBefore = focused?.matches('nav a') === true
    if (!matchMedia('(hover: hover)').matches || !(isBefore || focused?.matches('body, main'))) return
    const request = { text: '', conversation: { channelId } }
    const hasFocus = requestCompose(request)
    if (!isBefore) return
    if (hasFocus) noteComposeFocus()
    else requestComposeOnNextPage(request)
  }, [channelId])
  return (
    <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
      <p>{t('Write the first message below. Add a topic so that others can find it later.')}</p>
    </Empty>
  )
}

/**
 * The page of a topic. When the user opens another topic, React keeps the header, but creates the compose box and the
 * parts with dialogs again. The compose box stays if the topic was moved while the user was writing.
 */
function TopicPage({ channel, topic }: { channel: Subscription; topic: string }): ReactNode {
  const key = `${channel.stream_id} ${topic}`
  const narrow = { kind: 'topic', channelId: channel.stream_id, topic } as const
  return (
    <MessagesPage
      narrow={narrow}
      title={topicTitle(topic)}
      shownTitle={<TopicTitle key={key} channel={channel} topic={topic} />}
      before={
        <NarrowLink narrow={{ kind: 'channel', channelId: channel.stream_id }}>
          <ChannelIcon channel={channel} />
          {channel.name}
        </NarrowLink>
      }
      about={<ChannelAbout key={channel.stream_id} channel={channel} />}
      actions={<TopicButtons channel={channel} topic={topic} />}
      above={isResolved(topic) && <ResolvedBar channel={channel} topic={topic} />}
      menu={<TopicMenu key={key} channel={channel} topic={topic} />}
      empty={<EmptyTopic topic={narrow} />}
      composer={<Composer key={composerOf(narrow)} page={narrow} />}
    />
  )
}

/** Takes the place of the messages of a topic without any. A topic that was moved links to its destination. */
function EmptyTopic({ topic }: { topic: Extract<ConversationRef, { kind: 'topic' }> }): ReactNode {
  const destination = useDestination(topic)
  const titleOf = useDestinationTitle()
  if (destination !== undefined)
    return (
      <Empty icon={<TalkDrawing />} isDrawing title={t('This conversation moved')}>
        <p>{titleOf(destination)}</p>
        <NarrowLink narrow={destination}>{t('Go there')}</NarrowLink>
      </Empty>
    )
  return (
    <Empty icon={<TalkDrawing />} isDrawing title={t('No messages yet')}>
      <p>{t('Write the first message below.')}</p>
    </Empty>
  )
}
