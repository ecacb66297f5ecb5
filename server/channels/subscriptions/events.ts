import type { Channel } from '../channel.ts'
import type { InheritedNotifications, SubscriptionJson } from './subscription.ts'

/**
 * Returns the event for users who are now subscribed to the channels. `inherited` contains the users' own notification
 * settings, which apply where a subscription has none.
 */
export const subscriptionsAdded = (subscriptions: readonly SubscriptionJson[], inherited: InheritedNotifications) =>
  ({ type: 'subscription', op: 'add', subscriptions, inherited }) as const

/** Returns the event for users who are no longer subscribed to the channels. */
export const subscriptionsRemoved = (channels: readonly Channel[]) =>
  ({
    type: 'subscription',
    op: 'remove',
    subscriptions: channels.map((channel) => ({ name: channel.name, stream_id: channel.id })),
  }) as const

/** Returns the event about users who have unsubscribed from the channels, for all users who may see the channels. */
export const peersRemoved = (channelIds: readonly number[], userIds: readonly number[]) =>
  ({ type: 'subscription', op: 'peer_remove', stream_ids: channelIds, user_ids: userIds }) as const

/**
 * Returns the event for a user who changed a property of their subscription. The event is marked if the channel is
 * archived.
 */
export const subscriptionChanged = (
  channel: { id: number; isArchived: boolean },
  property: string,
  value: boolean | string | null,
) =>
  ({
    type: 'subscription',
    op: 'update',
    property,
    value,
    stream_id: channel.id,
    ...(channel.isArchived && { is_archived: true as const }),
  }) as const
