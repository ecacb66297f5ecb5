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

/** Returns the number of subscribers of each channel; undefined until the numbers are loaded. */
export const useSubscriberCounts = (): SubscriberCounts | undefined => useQuery(subscriberCounts).data
