import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../api/call.ts'
import { refreshTimelines } from '../messages/messages.ts'
import type { Narrow } from '../messages/narrow.ts'
import { refreshTopics } from '../messages/topics.ts'
import type { Channel, Organization, Subscription } from '../store/organization.ts'
import { type ChannelRules, mayJoin } from './channel.ts'

/** A channel that the user can see. `subscription` is null if the user is not subscribed. */
export type ListedChannel = { channel: Channel; subscription: Subscription | null }

export type ChannelFilter = 'subscribed' | 'available' | 'all' | 'archived'
export type ChannelOrder = 'name' | 'traffic' | 'people' | 'newest'

/** The numbers of subscribers by channel id. */
type SubscriberCounts = ReadonlyMap<number, number>

type Lists = Pick<Organization, 'subscriptions' | 'unsubscribed' | 'never_subscribed'>

const byName = new Intl.Collator(undefined, { sensitivity: 'base', numeric: true })

export function listedChannels({ subscriptions, unsubscribed, never_subscribed }: Lists): ListedChannel[] {
  return [
    ...subscriptions.map((channel) => ({ channel, subscription: channel })),
    ...[...unsubscribed, ...never_subscribed].map((channel) => ({ channel, subscription: null })),
  ]
}

export const findListedChannel = (lists: Lists, id: number): ListedChannel | undefined =>
  listedChannels(lists).find(({ channel }) => channel.stream_id === id)

/** Returns true if a channel matches the filter. Archived channels match only the filter `archived`. */
export function matchesFilter(
  scope: ChannelRules,
  { channel, subscription }: ListedChannel,
  shown: ChannelFilter,
): boolean {
  if (channel.is_archived) return shown === 'archived'
  switch (shown) {
    case 'subscribed':
      return subscription !== null
    case 'available':
      return subscription === null && mayJoin(scope, channel)
    case 'all':
      return true
    case 'archived':
      return false
  }
}

/**
 * Returns the channels that match every word of the query. A channel matches a word if the word is in its name, or if a
 * word of its name or description starts with it.
 */
export function searchChannels(all: readonly ListedChannel[], query: string): ListedChannel[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ channel: { name, description } }) => {
    const text = ` ${name} ${description}`.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    return words.every((word) => text.includes(` ${word}`) || name.toLowerCase().includes(word))
  })
}

/**
 * Sorts channels by name; by traffic or subscribers, highest number first; or by age, newest first. Unknown numbers
 * count as 0.
 */
export function sortChannels(
  all: readonly ListedChannel[],
  order: ChannelOrder,
  counts: SubscriberCounts = new Map(),
): ListedChannel[] {
  const weightOf = ({ channel }: ListedChannel) => {
    switch (order) {
      case 'name':
        return 0
      case 'traffic':
        return channel.stream_weekly_traffic ?? 0
      case 'people':
        return counts.get(channel.stream_id) ?? 0
      case 'newest':
        return channel.date_created
    }
  }
  return all.toSorted(
    (one, other) => weightOf(other) - weightOf(one) || byName.compare(one.channel.name, other.channel.name),
  )
}

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

/** The interval at which messages are reloaded while the window is visible, in milliseconds. */
const PERIOD = 60_000

/**
 * Reloads the messages and topics of a channel every minute, when the window gets the focus, and when the user leaves
 * the page. The server sends no events about channels that the user is not subscribed to.
 */
export function useReloadedChannel(channelId: number): void {
  useEffect(() => {
    const isHere = (narrow: Narrow) =>
      (narrow.kind === 'channel' || narrow.kind === 'topic') && narrow.channelId === channelId
    const reload = () => {
      refreshTimelines(isHere)
      refreshTopics([channelId])
    }
    const reloadIfVisible = () => document.visibilityState === 'visible' && reload()
    const timer = setInterval(reloadIfVisible, PERIOD)
    addEventListener('focus', reloadIfVisible)
    return () => {
      clearInterval(timer)
      removeEventListener('focus', reloadIfVisible)
      reload()
    }
  }, [channelId])
}
