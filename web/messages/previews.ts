import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { call } from '../api/call.ts'
import { currentOrganization } from '../store/organization.ts'
import { queryClient } from '../store/query-client.ts'
import type { Message } from './message.ts'
import { type Narrow, toTerms } from './narrow.ts'
import { type Timeline, withChangesMeanwhile } from './timeline.ts'

/** The maximum number of messages in one request. */
const MAX_FETCHED = 400

const FORM = { apply_markdown: true, allow_empty_topic_name: true, client_gravatar: false }

/** Returns a message by its id; undefined if it is not loaded or does not exist. */
export type FindMessage = (id: number) => Message | undefined

/** Loads the newest messages of conversations by their ids. Returns a lookup. */
export const usePreviews = (ids: readonly number[]): FindMessage => useMessages({ kind: 'combined' }, ids)

/** Loads the newest messages of the channel's topics by their ids. Returns a lookup. */
export const useTopicPreviews = (channelId: number, ids: readonly number[]): FindMessage =>
  useMessages({ kind: 'channel', channelId }, ids)

/**
 * Loads the messages with these ids, and keeps the messages of earlier calls. Returns a lookup. The query has the key
 * of a timeline, so that events keep the messages up to date.
 */
function useMessages(narrow: Narrow, ids: readonly number[]): FindMessage {
  const queryKey = ['messages', narrow, 'previews'] as const
  const { data, isFetching, refetch } = useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Timeline> => {
      const known = queryClient.getQueryData<Timeline>(queryKey)?.messages.map(({ id }) => id) ?? []
      const wanted = [...new Set([...ids, ...known])].slice(0, MAX_FETCHED)
      return withChangesMeanwhile(narrow, async () => ({
        messages: await fetchMessages(wanted, signal),
        hasOldest: false,
        hasNewest: true,
      }))
    },
  })
  const byId = useMemo(() => new Map(data?.messages.map((message) => [message.id, message])), [data])
  const requested = useRef(new Set<number>())
  const missing = ids.filter((id) => !byId.has(id) && !requested.current.has(id)).slice(0, MAX_FETCHED)
  const isIncomplete = data !== undefined && !isFetching && missing.length > 0
  useEffect(() => {
    if (!isIncomplete) return
    for (const id of missing) requested.current.add(id)
    void refetch()
  }, [isIncomplete, missing, refetch])
  return (id) => byId.get(id)
}

async function fetchMessages(ids: readonly number[], signal: AbortSignal): Promise<Message[]> {
  if (ids.length === 0) return []
  const { messages } = await call('GET /messages', { message_ids: [...ids], ...FORM }, { signal })
  return messages as Message[]
}

/** The maximum number of results. */
const COUNT = 50

const RELEVANT_FORM = { client_gravatar: false, allow_empty_topic_name: true }

/**
 * Returns the query for the most relevant messages of a search, sorted by relevance. It has the key of a timeline, so
 * that events keep the messages up to date. New messages are not added.
 */
export const mostRelevant = (narrow: Narrow) =>
  queryOptions({
    queryKey: ['messages', narrow, 'relevance'],
    queryFn: ({ signal }): Promise<Timeline> =>
      withChangesMeanwhile(narrow, async () => {
        const terms = toTerms(narrow, currentOrganization()?.user_id ?? 0)
        const range = { anchor: 'newest', num_before: COUNT, num_after: 0, order: 'relevance' } as const
        const answer = await call('GET /messages', { ...range, narrow: terms, ...RELEVANT_FORM }, { signal })
        return { messages: answer.messages, hasOldest: answer.found_oldest, hasNewest: false }
      }),
  })
