import { useNavigate } from '@tanstack/react-router'
import type { MouseEvent } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { channelTopics } from '../../../store/messages/topics.ts'
import type { Unread } from '../../../store/messages/unread.ts'
import { mutedCheck, unreadStore } from '../../../store/messages/unread-messages.ts'
import { currentOrganization } from '../../../store/organization.ts'
import { queryClient } from '../../../store/query-client.ts'
import { toLocation } from '../to-location.ts'

/** `web_channel_default_view` of the API: the view that a link to a channel in the sidebar opens. */
const ChannelView = { topTopic: 1, feed: 2, topics: 3, topUnreadTopic: 4 } as const

/**
 * Returns a handler for clicks on a link to a channel. It opens the channel in the view that the user prefers. Clicks
 * that open another tab or window are left to the browser.
 */
export function useOpenChannel(): (event: MouseEvent, channelId: number) => void {
  const navigate = useNavigate()
  return (event, channelId) => {
    const view = currentOrganization()?.user_settings.web_channel_default_view
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey
    if (isElsewhere || view === ChannelView.feed || view === undefined) return
    event.preventDefault()
    if (view === ChannelView.topics) return void navigate({ to: `/channels/${channelId}/topics` as string })
    void findTopic(channelId, view).then((topic) => {
      const narrow: Narrow = topic === null ? { kind: 'channel', channelId } : { kind: 'topic', channelId, topic }
      return navigate(toLocation(narrow))
    })
  }
}

/**
 * Returns the topic that the user wants to see first; null if the channel has no topics, or if the server can't be
 * reached.
 */
async function findTopic(channelId: number, view: number): Promise<string | null> {
  const organization = currentOrganization()
  const isMuted = (topic: string) => organization !== undefined && mutedCheck(organization)(channelId, topic)
  const unread = view === ChannelView.topUnreadTopic ? latestUnread(unreadStore.get(), channelId, isMuted) : null
  if (unread !== null) return unread
  try {
    const topics = await queryClient.fetchQuery(channelTopics(channelId))
    return (topics.find(({ name }) => !isMuted(name)) ?? topics[0])?.name ?? null
  } catch {
    return null
  }
}

/** Returns the channel's topic with the newest unread message; null if there is none. Muted topics are ignored. */
export function latestUnread(unread: Unread, channelId: number, isMuted: (topic: string) => boolean): string | null {
  let latest: { topic: string; id: number } | null = null
  for (const { conversation, ids } of unread.conversations.values()) {
    if (conversation.kind !== 'topic' || conversation.channelId !== channelId || isMuted(conversation.topic)) continue
    const id = ids.at(-1) ?? 0
    if (latest === null || id > latest.id) latest = { topic: conversation.topic, id }
  }
  return latest?.topic ?? null
}
