import { useCallback } from 'react'
import type { Spot } from '../../store/messages/narrow.ts'
import { keyOfSpot, type UnreadSpot } from '../../store/messages/unread.ts'
import { mutedFinder, unreadMessages } from '../../store/messages/unread-messages.ts'
import { useOrganization } from '../../store/organization.ts'
import { useCurrentNarrow } from './current-narrow.ts'

/** Finds where to read on: another topic or conversation with something unread, the longest waiting first. */
export function useNextUnread(): (kind: Spot['kind']) => Spot | null {
  const { subscriptions, user_topics } = useOrganization()
  const current = useCurrentNarrow()
  return useCallback(
    (kind) => {
      const isMuted = mutedFinder({ subscriptions, user_topics })
      const channelIds = new Set(subscriptions.map(({ stream_id }) => stream_id))
      const here = current?.kind === 'topic' || current?.kind === 'direct' ? keyOfSpot(current) : ''
      const isWanted = ({ spot }: UnreadSpot) =>
        spot.kind === kind &&
        keyOfSpot(spot) !== here &&
        (spot.kind === 'direct' || (channelIds.has(spot.channelId) && !isMuted(spot.channelId, spot.topic)))
      const waiting = [...unreadMessages.get().spots.values()].filter(isWanted)
      return waiting.sort((one, other) => one.ids[0]! - other.ids[0]!)[0]?.spot ?? null
    },
    [subscriptions, user_topics, current],
  )
}
