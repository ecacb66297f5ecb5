import type { Channel, Organization, Subscription } from '../../store/organization.ts'
import { type ChannelRules, mayJoin } from './rights.ts'

/** A channel that one knows of; `subscription` is null where one is not in it. */
export type ListedChannel = { channel: Channel; subscription: Subscription | null }

export type ChannelFilter = 'subscribed' | 'available' | 'all' | 'archived'
export type ChannelOrder = 'name' | 'traffic'

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

/** Whether a channel belongs to what is shown; archived ones to their own list alone. */
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

/** Those in whose name or description each of the words begins one. */
export function searchChannels(all: readonly ListedChannel[], query: string): ListedChannel[] {
  const target = query.toLowerCase().split(/\s+/).filter(Boolean)
  return all.filter(({ channel: { name, description } }) => {
    const text = ` ${name} ${description}`.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    return target.every((word) => text.includes(` ${word}`) || name.toLowerCase().includes(word))
  })
}

/** By name, or those first in which most is said; what is too young to know that counts as nothing. */
export function sortChannels(all: readonly ListedChannel[], order: ChannelOrder): ListedChannel[] {
  const trafficOf = ({ channel }: ListedChannel) => channel.stream_weekly_traffic ?? 0
  return all.toSorted(
    (one, other) =>
      (order === 'traffic' ? trafficOf(other) - trafficOf(one) : 0) ||
      byName.compare(one.channel.name, other.channel.name),
  )
}
