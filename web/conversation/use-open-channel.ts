import { useNavigate, useRouter } from '@tanstack/react-router'
import { createAtom } from '@tanstack/react-store'
import type { MouseEvent } from 'react'
import { requestedTopic } from '../browser/compose-requests.ts'
import { messagesAtHand } from '../messages/conversations.ts'
import { channelTopics } from '../messages/topics.ts'
import { isTopicMuted, unreadStore } from '../messages/unread.ts'
import { toLocation } from '../navigation/narrow-location.ts'
import { currentOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import { firstTopic, firstUnreadTopic, isTopicOfBots, type TopicFacts } from './first-topic.ts'

/** `web_channel_default_view` of the API: the view that a link to a channel in the sidebar opens. */
const ChannelView = { topTopic: 1, feed: 2, topics: 3, topUnreadTopic: 4 } as const

/** The maximum time to wait for the topics of a channel before its feed opens instead, in milliseconds. */
const MAX_WAIT = 300

/**
 * The id of the channel that shows a topic as soon as its topics are loaded; null for none. Until then, its page has no
 * messages.
 */
export const openingChannel = createAtom<number | null>(null)

/**
 * Returns a handler for clicks on a link to a channel. It opens the channel in the view that the user prefers. Clicks
 * that open another tab or window are left to the browser.
 */
export function useOpenChannel(): (event: MouseEvent, channelId: number) => void {
  const router = useRouter()
  return (event, channelId) => {
    const view = currentOrganization()?.user_settings.web_channel_default_view
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (isElsewhere || view === ChannelView.feed || view === undefined) return
    event.preventDefault()
    if (view === ChannelView.topics) return void router.navigate({ to: `/channels/${channelId}/topics` as string })
    const known = findKnownTopic(channelId, view)
    if (known !== null) return void router.navigate(toLocation({ kind: 'topic', channelId, topic: known }))
    openingChannel.set(channelId)
    // The header and the compose box of the channel do not wait for its topics.
    const feed = toLocation({ kind: 'channel', channelId })
    const { href } = router.buildLocation(feed)
    // The user may go elsewhere while the topics are loading.
    const stop = router.subscribe('onBeforeNavigate', ({ toLocation }) => {
      if (toLocation.href !== href) openingChannel.set(null)
    })
    void router.navigate(feed)
    void loadTopic(channelId).then((topic) => {
      stop()
      // The user may have chosen another channel meanwhile.
      const end = () => openingChannel.get() === channelId && openingChannel.set(null)
      const isWriting = document.activeElement?.closest('.composer') != null
      if (topic === null || isWriting) return end()
      if (openingChannel.get() !== channelId) return
      void router.navigate({ ...toLocation({ kind: 'topic', channelId, topic }), replace: true }).finally(end)
    })
  }
}

/** Returns the topic that the user wants to see first, if it is known without a request; null otherwise. */
function findKnownTopic(channelId: number, view: number): string | null {
  const unread =
    view === ChannelView.topUnreadTopic ? firstUnreadTopic(unreadStore.get(), channelId, factsOf(channelId)) : null
  if (unread !== null) return unread
  const topics = queryClient.getQueryState(channelTopics(channelId).queryKey)
  // After messages were moved or deleted, the first topic may no longer exist.
  return topics?.data === undefined || topics.isInvalidated ? null : firstOf(channelId, topics.data)
}

/**
 * Returns the topic that the user wants to see first, once the topics of the channel are loaded. If that takes too long,
 * returns the topic of the newest message of the channel that this page has; null if it has none.
 */
async function loadTopic(channelId: number): Promise<string | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, MAX_WAIT, null))
  const topics = await Promise.race([queryClient.fetchQuery(channelTopics(channelId)).catch(() => null), late])
  if (topics !== null) return firstOf(channelId, topics)
  const facts = factsOf(channelId)
  const unmuted = messagesOf(channelId).filter(({ subject }) => !facts.isMuted(subject))
  return firstTopic(
    unmuted.toReversed().map(({ subject }) => subject),
    facts,
  )
}

const firstOf = (channelId: number, topics: readonly { name: string }[]): string | null =>
  firstTopic(
    topics.map(({ name }) => name),
    factsOf(channelId),
  )

/** Returns the messages of the channel that this page has, oldest first. */
const messagesOf = (channelId: number) => messagesAtHand().filter(({ stream_id }) => stream_id === channelId)

function factsOf(channelId: number): TopicFacts {
  const organization = currentOrganization()
  if (organization === undefined) return { isMuted: () => false, isOfBots: () => false }
  const isMuted = isTopicMuted.get()
  const messages = messagesOf(channelId)
  const systemBotIds = organization.cross_realm_bots.map(({ user_id }) => user_id)
  return {
    isMuted: (topic) => isMuted(channelId, topic),
    isOfBots: (topic) => isTopicOfBots(topic, messages, systemBotIds),
  }
}

/** Returns a function that opens a channel with the compose box ready for a new topic. */
export function useStartTopic(): (channelId: number) => void {
  const navigate = useNavigate()
  return (channelId) => {
    requestedTopic.set(channelId)
    void navigate(toLocation({ kind: 'channel', channelId }))
  }
}
