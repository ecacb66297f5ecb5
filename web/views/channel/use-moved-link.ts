import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { conversationOf, isSameTopic, type Narrow } from '../../store/messages/narrow.ts'
import { useOwnId } from '../../store/organization.ts'
import { fetchMessage } from '../chat/conversation-menus/change-topic.ts'
import { toLocation } from '../chat/to-location.ts'

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
