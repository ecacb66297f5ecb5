import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { SubscriberCounts } from './listing.ts'

const subscriberCounts = queryOptions({
  queryKey: ['subscriber-counts'],
  queryFn: async ({ signal }): Promise<SubscriberCounts> => {
    const form = { include_all: true, exclude_archived: false, include_subscriber_counts: true }
    const { streams } = await call('GET /streams', form, { signal })
    return new Map(streams.map(({ stream_id, subscriber_count = 0 }) => [stream_id, subscriber_count]))
  },
  staleTime: 0,
})

/** Returns how many people are in each channel; undefined until it is known. */
export const useSubscriberCounts = (): SubscriberCounts | undefined => useQuery(subscriberCounts).data
