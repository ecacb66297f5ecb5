import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { call } from '../../api/call.ts'
import type { Message } from './message.ts'
import type { Timeline } from './timeline.ts'
import { unreadStore } from './unread-messages.ts'

/** The number of conversations whose latest message is fetched. */
const MAX_FETCHED = 200

const FORM = { apply_markdown: true, allow_empty_topic_name: true, client_gravatar: false }

/** The latest message of each unread conversation. Its key is that of a timeline, so that events keep it up to date. */
const previews = queryOptions({
  queryKey: ['messages', { kind: 'combined' }, 'previews'] as const,
  queryFn: async ({ signal }): Promise<Timeline> => {
    const ids = latestUnread().slice(0, MAX_FETCHED)
    if (ids.length === 0) return { messages: [], hasOldest: false, hasNewest: true }
    const { messages } = await call('GET /messages', { message_ids: ids, ...FORM }, { signal })
    return { messages: messages as Message[], hasOldest: false, hasNewest: true }
  },
})

/** Returns the id of the latest message of each unread conversation, newest first. */
const latestUnread = (): number[] =>
  [...unreadStore.get().conversations.values()].map(({ ids }) => ids.at(-1) ?? 0).sort((one, other) => other - one)

/** Returns a lookup of the messages with these ids, which are the latest of unread conversations. */
export function usePreviews(ids: readonly number[]): (id: number) => Message | undefined {
  const { data, isFetching, refetch } = useQuery(previews)
  const byId = useMemo(() => new Map(data?.messages.map((message) => [message.id, message])), [data])
  const requested = useRef(new Set<number>())
  const missing = ids.filter((id) => !byId.has(id) && !requested.current.has(id)).slice(0, MAX_FETCHED)
  const isIncomplete = data !== undefined && !isFetching && missing.length > 0
  // An unread message may be older than the page, such as one that was marked as unread.
  useEffect(() => {
    if (!isIncomplete) return
    for (const id of missing) requested.current.add(id)
    void refetch()
  }, [isIncomplete, missing, refetch])
  return (id) => byId.get(id)
}
