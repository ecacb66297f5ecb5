import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { findMessage } from '../../store/messages/messages.ts'
import { conversationOf, isSameTopic, type Narrow } from '../../store/messages/narrow.ts'
import { useOwnId } from '../../store/organization.ts'
import { fetchMessage } from '../chat/place-menu/change-topic.ts'
import { type NarrowSearch, toLocation } from '../chat/to-location.ts'

/**
 * Follows a link to a message, or to the topic with a message, that was moved since: it leads to the message's conversation of
 * today. A message that the user can't read changes nothing.
 */
export function useMovedLink(narrow: Narrow | null, { near, with: withId }: NarrowSearch): void {
  const ownId = useOwnId()
  const navigate = useNavigate()
  const id = withId ?? near
  const key = JSON.stringify(narrow)
  useEffect(() => {
    const here: Narrow | null = JSON.parse(key)
    if (id === undefined || here === null) return
    let isCurrent = true
    async function follow(messageId: number, from: Narrow) {
      const message = findMessage(messageId) ?? (await fetchMessage(messageId).catch(() => null))
      if (!isCurrent) return
      const to = message === null ? from : conversationOf(message, ownId)
      const isMoved = to.kind === 'topic' && !isIn(to, from)
      if (isMoved || withId !== undefined) void navigate({ ...toLocation(isMoved ? to : from, near), replace: true })
    }
    void follow(id, here)
    return () => {
      isCurrent = false
    }
  }, [key, id, near, withId, ownId, navigate])
}

const isIn = (topic: Extract<Narrow, { kind: 'topic' }>, narrow: Narrow): boolean =>
  (narrow.kind === 'topic' || narrow.kind === 'channel') &&
  narrow.channelId === topic.channelId &&
  (narrow.kind === 'channel' || isSameTopic(narrow.topic, topic.topic))
