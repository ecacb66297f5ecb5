import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'
import { queryClient } from '../query-client.ts'
import { isSameTopic } from './narrow.ts'

type Topic = AnswerOf<'GET /users/me/{stream_id}/topics'>['topics'][number]

const keyOf = (channelId: number) => ['topics', channelId] as const

/** The topics of a channel, the one with the newest message first. */
export const channelTopics = (channelId: number) =>
  queryOptions({
    queryKey: keyOf(channelId),
    queryFn: async ({ signal }) =>
      (
        await call(
          'GET /users/me/{stream_id}/topics',
          { stream_id: channelId, allow_empty_topic_name: true },
          { signal },
        )
      ).topics,
  })

/** The id of the newest message of a topic; null where there is none. Rejects with `ApiError`. */
export async function findNewestId(channelId: number, name: string): Promise<number | null> {
  const topics = await queryClient.fetchQuery({ ...channelTopics(channelId), staleTime: 0 })
  return topics.find((topic) => isSameTopic(topic.name, name))?.max_id ?? null
}

/** Puts the topic of a message that has just arrived to the front, where the topics of its channel are known. */
export function addTopic(channelId: number, name: string, id: number): void {
  queryClient.setQueryData<Topic[]>(keyOf(channelId), (known) => {
    if (known === undefined) return known
    const others = known.filter((topic) => !isSameTopic(topic.name, name))
    return [{ name, max_id: id }, ...others]
  })
}

/** Asks anew for the topics of the channels: messages were moved or deleted. */
export function refreshTopics(channelIds: readonly number[]): void {
  for (const channelId of channelIds) void queryClient.invalidateQueries({ queryKey: keyOf(channelId) })
}
