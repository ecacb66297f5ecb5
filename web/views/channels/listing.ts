import type { Channel, Organization, Subscription } from '../../store/organization.ts'
import { type ChannelRules, mayJoin } from './rights.ts'

/** A channel that the user can see. `subscription` is null if the user is not subscribed. */
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
