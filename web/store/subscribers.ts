import { queryOptions } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { queryClient } from './query-client.ts'

const keyOf = (channelId: number) => ['subscribers', channelId] as const

/** Returns the query for the ids of a channel's subscribers. Events keep the ids up to date. */
export const channelSubscribers = (channelId: number) =>
  queryOptions({
    queryKey: keyOf(channelId),
    queryFn: async ({ signal }) =>
      (await call('GET /streams/{stream_id}/members', { stream_id: channelId }, { signal })).subscribers,
  })

/** The query for the user's channels with the ids of their subscribers. It is loaded again when subscribers change. */
export const channelsWithPeople = queryOptions({
  queryKey: ['channels-with-people'],
  queryFn: async ({ signal }) =>
    (await call('GET /users/me/subscriptions', { include_subscribers: true }, { signal })).subscriptions,
  staleTime: 0,
  gcTime: 0,
})

/** Adds subscribers to the channels whose subscribers are loaded. */
export function addSubscribers(channelIds: readonly number[], userIds: readonly number[]): void {
  changeKnown(channelIds, (known) => [...new Set([...known, ...userIds])])
}

/** Removes subscribers from the channels whose subscribers are loaded. */
export function removeSubscribers(channelIds: readonly number[], userIds: readonly number[]): void {
  changeKnown(channelIds, (known) => known.filter((id) => !userIds.includes(id)))
}

/**
 * Changes loaded lists of subscribers. If the response with a list is still pending, the list is loaded again, since
 * the response may be older than the event.
 */
function changeKnown(channelIds: readonly number[], change: (known: number[]) => number[]): void {
  void queryClient.invalidateQueries({ queryKey: channelsWithPeople.queryKey })
  for (const id of channelIds) {
    if (queryClient.isFetching({ queryKey: keyOf(id) }) > 0) void queryClient.invalidateQueries({ queryKey: keyOf(id) })
    else queryClient.setQueryData<number[]>(keyOf(id), (known) => known && change(known))
  }
}
