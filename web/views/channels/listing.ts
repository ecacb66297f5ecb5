import type { Channel, Organization, Subscription } from '../../store/organization.ts'
import { type ChannelRules, mayJoin } from './rights.ts'

/** A channel that the user can see; `subscription` is null without a subscription. */
export type ListedChannel = { channel: Channel; subscription: Subscription | null }

export type ChannelFilter = 'subscribed' | 'available' | 'all' | 'archived'
export type ChannelOrder = 'name' | 'traffic' | 'people' | 'newest'

/** The numbers of subscribers by channel id. */
export type SubscriberCounts = ReadonlyMap<number, number>

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

/** Returns true if a channel matches the filter. Archived channels only match their own. */
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

/** Returns the channels whose name or description has words that start with each of the query's words. */
export function searchChannels(all: readonly ListedChannel[], query: string): ListedChannel[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ channel: { name, description } }) => {
    const text = ` ${name} ${description}`.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    return words.every((word) => text.includes(` ${word}`) || name.toLowerCase().includes(word))
  })
}

/** Sorts channels by name, or highest first by traffic, subscribers or age; unknown numbers count as none. */
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
