import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { recentMessages } from '../../../store/messages/recent.ts'
import { operandId, type SearchFilter } from '../../../store/messages/search-query.ts'
import { channelTopics } from '../../../store/messages/topics.ts'

/** Returns the topics of the channel that the search is limited to, or the latest topics of all channels. */
export function useSearchTopics(filters: readonly SearchFilter[]): readonly string[] {
  const channel = filters.find(({ operator, negated }) => operator === 'channel' && !negated)
  const channelId = operandId(channel?.operand ?? '') ?? 0
  const ofChannel = useQuery({ ...channelTopics(channelId), enabled: channelId > 0 }).data
  const latest = useQuery({ ...recentMessages, enabled: channelId === 0 }).data
  return useMemo(() => {
    if (channelId > 0) return ofChannel?.map(({ name }) => name) ?? []
    const subjects = (latest?.messages ?? []).filter(({ type }) => type === 'stream').map(({ subject }) => subject)
    return [...new Set(subjects.toReversed())]
  }, [channelId, ofChannel, latest])
}
