import type { Organization } from '../organization.ts'
import type { EventOf } from './event.ts'
import { unknownOp } from './group-events.ts'

/** The channels that the user can see: subscribed, formerly subscribed, and never subscribed. */
type Channels = Pick<Organization, 'subscriptions' | 'unsubscribed' | 'never_subscribed'>

type ChannelEvent = EventOf<'stream'>
/** Events about the user's own subscriptions. */
export type OwnSubscriptionEvent = Exclude<EventOf<'subscription'>, { op: 'peer_add' | 'peer_remove' }>

type ChannelId = { stream_id: number }

const idsOf = (channels: readonly ChannelId[]) => channels.map(({ stream_id }) => stream_id)

const without = <One extends ChannelId>(channels: readonly One[], ids: readonly number[]): One[] =>
  channels.filter(({ stream_id }) => !ids.includes(stream_id))

const withFields = <One extends ChannelId>(channels: readonly One[], id: number, fields: object): One[] =>
  channels.map((channel) => (channel.stream_id === id ? { ...channel, ...fields } : channel))

const withoutChannels = (channels: Channels, ids: readonly number[]): Channels => ({
  subscriptions: without(channels.subscriptions, ids),
  unsubscribed: without(channels.unsubscribed, ids),
  never_subscribed: without(channels.never_subscribed, ids),
})

/** Returns the channels after an event; null when the client does not know its `op`. */
export function channelsAfterEvent(channels: Channels, event: ChannelEvent): Channels | null {
  switch (event.op) {
    case 'create': {
      const others = withoutChannels(channels, idsOf(event.streams))
      return { ...others, never_subscribed: [...others.never_subscribed, ...event.streams] }
    }
    case 'delete':
      return withoutChannels(channels, event.stream_ids)
    case 'update': {
      const { id: _, type: __, op: ___, name: ____, property, value, stream_id, ...extras } = event
      const fields = { ...extras, [property]: value }
      return {
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
        never_subscribed: withFields(channels.never_subscribed, stream_id, fields),
      }
    }
    default:
      return unknownOp(event)
  }
}

/**
 * Returns the channels after an event about the user's own subscriptions; null when the client does not know its `op`.
 */
export function channelsAfterSubscription(channels: Channels, event: OwnSubscriptionEvent): Channels | null {
  switch (event.op) {
    case 'add': {
      const others = withoutChannels(channels, idsOf(event.subscriptions))
      return { ...others, subscriptions: [...others.subscriptions, ...event.subscriptions] }
    }
    case 'remove': {
      const ids = idsOf(event.subscriptions)
      const left = channels.subscriptions.filter(({ stream_id }) => ids.includes(stream_id))
      return { ...withoutChannels(channels, ids), unsubscribed: [...without(channels.unsubscribed, ids), ...left] }
    }
    case 'update': {
      const { property, value, stream_id } = event
      const fields = { [property]: value }
      return {
        ...channels,
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
      }
    }
    default:
      return unknownOp(event)
  }
}
