import { queryOptions } from '@tanstack/react-query'
import { createAtom, useSelector } from '@tanstack/react-store'
import { type AnswerOf, call } from '../api/call.ts'
import { CONVERSATIONS_KEPT_FOR, queryClient, replaceQueryData } from '../store/query-client.ts'
import { type ConversationRef, isSameTopic, withResolved } from './narrow.ts'
import { conversationKey } from './unread.ts'

type ListedTopic = AnswerOf<'GET /users/me/{stream_id}/topics'>['topics'][number]

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
  const known = queryClient.getQueryData<ListedTopic[]>(keyOf(channelId))
  if (known === undefined) return
  const others = known.filter((topic) => !isSameTopic(topic.name, name))
  replaceQueryData(keyOf(channelId), [{ name, max_id: id }, ...others])
}

/** Reloads the topics of the channels, after messages were moved or deleted. */
export function refreshTopics(channelIds: readonly number[]): void {
  for (const channelId of channelIds) void queryClient.invalidateQueries({ queryKey: keyOf(channelId) })
}

type Topic = Extract<ConversationRef, { kind: 'topic' }>
/** `isOwn` is true if the user moved the topic. */
type Listener = (from: Topic, to: Topic, isOwn: boolean) => void

const listeners = new Set<Listener>()

/** The topics that were moved since the page was loaded, by the conversation that they left. */
const destinations = createAtom<ReadonlyMap<string, Topic>>(new Map())

/** Returns the topic to which the messages of a topic were moved; undefined if they were not. */
export const useDestination = (from: Topic): Topic | undefined =>
  useSelector(destinations, (all) => all.get(conversationKey(from)))

/** Returns the topic in which the messages of a topic are now; undefined if they were not moved. */
export function findDestination(from: Topic): Topic | undefined {
  const to = destinations.get().get(conversationKey(from))
  return to && (findDestination(to) ?? to)
}

/**
 * Calls the listener when all messages of a topic were moved, even if they are not loaded. Returns a function that
 * stops this.
 */
export function onTopicMoved(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export function emitTopicMoved(from: Topic, to: Topic, isOwn: boolean): void {
  const known = new Map(destinations.get()).set(conversationKey(from), to)
  known.delete(conversationKey(to))
  destinations.set(known)
  for (const listener of listeners) listener(from, to, isOwn)
}
