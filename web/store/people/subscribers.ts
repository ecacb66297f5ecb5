import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { queryClient } from '../query-client.ts'

const keyOf = (channelId: number) => ['subscribers', channelId] as const

/** The ids of the people in a channel, kept true by events once it is known. */
export const channelSubscribers = (channelId: number) =>
  queryOptions({
    queryKey: keyOf(channelId),
    queryFn: async ({ signal }) =>
      (await call('GET /streams/{stream_id}/members', { stream_id: channelId }, { signal })).subscribers,
  })

/** Adds people who have come into channels, where it is known who is in them. */
export function addSubscribers(channelIds: readonly number[], userIds: readonly number[]): void {
  changeKnown(channelIds, (known) => [...new Set([...known, ...userIds])])
}

/** Takes out people who have left channels, where it is known who is in them. */
export function removeSubscribers(channelIds: readonly number[], userIds: readonly number[]): void {
  changeKnown(channelIds, (known) => known.filter((id) => !userIds.includes(id)))
}

/** An answer that is still on its way may be older than the event. */
function changeKnown(channelIds: readonly number[], change: (known: number[]) => number[]): void {
  for (const id of channelIds) {
    if (queryClient.isFetching({ queryKey: keyOf(id) }) > 0) void queryClient.invalidateQueries({ queryKey: keyOf(id) })
    else queryClient.setQueryData<number[]>(keyOf(id), (known) => known && change(known))
  }
}
