import type { Channel } from '../channel.ts'
import type { InheritedNotifications, SubscriptionJson } from './subscription.ts'

/** For somebody who is subscribed to the channels now, and whose settings hold where these leave notifications open. */
export const subscriptionsAdded = (subscriptions: readonly SubscriptionJson[], inherited: InheritedNotifications) =>
  ({ type: 'subscription', op: 'add', subscriptions, inherited }) as const

/** For somebody who is subscribed to the channels no longer. */
export const subscriptionsRemoved = (channels: readonly Channel[]) =>
  ({
    type: 'subscription',
    op: 'remove',
    subscriptions: channels.map((channel) => ({ name: channel.name, stream_id: channel.id })),
  }) as const

/** The users are subscribed to the channels no longer: for others who may know of them. */
export const peersRemoved = (channelIds: readonly number[], userIds: readonly number[]) =>
  ({ type: 'subscription', op: 'peer_remove', stream_ids: channelIds, user_ids: userIds }) as const

/** For the subscriber, who has changed a setting of the subscription; marked where the channel is archived. */
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
