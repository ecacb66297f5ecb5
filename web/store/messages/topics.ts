import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { AnswerOf } from '../../api/types.ts'
import { CONVERSATIONS_KEPT_FOR, queryClient, replaceQueryData } from '../query-client.ts'
import { isSameTopic } from './narrow.ts'
import { withResolved } from './topic-title.ts'

type Topic = AnswerOf<'GET /users/me/{stream_id}/topics'>['topics'][number]

const keyOf = (channelId: number) => ['topics', channelId] as const

queryClient.setQueryDefaults(['topics'], { gcTime: CONVERSATIONS_KEPT_FOR })

/** Returns the query for the topics of a channel. The topic with the newest message is the first. */
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

/** Returns the id of the newest message of a topic; null if it has none. Rejects with `ApiError`. */
export async function findNewestId(channelId: number, name: string): Promise<number | null> {
  const topics = await queryClient.fetchQuery({ ...channelTopics(channelId), staleTime: 0 })
  return topics.find((topic) => isSameTopic(topic.name, name))?.max_id ?? null
}

/** Returns the id of the newest message of a topic if the topics of its channel are loaded; undefined otherwise. */
export const findKnownNewestId = (channelId: number, name: string): number | undefined =>
  queryClient.getQueryData(channelTopics(channelId).queryKey)?.find((topic) => isSameTopic(topic.name, name))?.max_id

/** Returns true if another known topic of the channel has this title, resolved or not. */
export const isTitleTaken = (channelId: number, topic: string, title: string): boolean =>
  queryClient
    .getQueryData(channelTopics(channelId).queryKey)
    ?.some(({ name }) => !isSameTopic(name, topic) && isSameTopic(withResolved(name, false), title)) === true

/** Moves the topic of a new message to the front, or adds it there, if the topics of its channel are loaded. */
export function addTopic(channelId: number, name: string, id: number): void {
  const known = queryClient.getQueryData<Topic[]>(keyOf(channelId))
  if (known === undefined) return
  const others = known.filter((topic) => !isSameTopic(topic.name, name))
  replaceQueryData(keyOf(channelId), [{ name, max_id: id }, ...others])
}

/** Reloads the topics of the channels, after messages were moved or deleted. */
export function refreshTopics(channelIds: readonly number[]): void {
  for (const channelId of channelIds) void queryClient.invalidateQueries({ queryKey: keyOf(channelId) })
}
