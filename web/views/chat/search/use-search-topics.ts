import { useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { recentMessages } from '../../../store/messages/recent.ts'
import { operandId, type SearchFilter } from '../../../store/messages/search-query.ts'
import { channelTopics } from '../../../store/messages/topics.ts'
import { useOrganization } from '../../../store/organization.ts'

/** The maximum number of channels whose topics are loaded for suggestions. */
const MAX_CHANNELS = 20

/**
 * Returns the topics of the channel that the search is limited to, or else the topics of the user's channels, with the
 * latest ones first. The topics of the channels are loaded only if `isTyped` is true.
 */
export function useSearchTopics(filters: readonly SearchFilter[], isTyped: boolean): readonly string[] {
  const channel = filters.find(({ operator, negated }) => operator === 'channel' && !negated)
  const channelId = operandId(channel?.operand ?? '') ?? 0
  const { subscriptions } = useOrganization()
  const ofChannel = useQuery({ ...channelTopics(channelId), enabled: channelId > 0 }).data
  const latest = useQuery({ ...recentMessages, enabled: channelId === 0 }).data
  const others = useQueries({
    queries: (isTyped && channelId === 0 ? subscriptions : [])
      .filter(({ is_archived }) => !is_archived)
      .slice(0, MAX_CHANNELS)
      .map(({ stream_id }) => channelTopics(stream_id)),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })
  return useMemo(() => {
    if (channelId > 0) return ofChannel?.map(({ name }) => name) ?? []
    const subjects = (latest?.messages ?? []).filter(({ type }) => type === 'stream').map(({ subject }) => subject)
    const byAge = others.toSorted((one, other) => other.max_id - one.max_id).map(({ name }) => name)
    return [...new Set([...subjects.toReversed(), ...byAge])]
  }, [channelId, ofChannel, latest, others])
}
