import type { Organization } from '../organization.ts'

/** The channels that one knows of, by how one stands to them. */
type Channels = Pick<Organization, 'subscriptions' | 'unsubscribed' | 'never_subscribed'>

type Told = Readonly<Record<string, unknown>>

type Entry = { stream_id: number }

const without = <One extends Entry>(channels: readonly One[], ids: readonly number[]): One[] =>
  channels.filter(({ stream_id }) => !ids.includes(stream_id))

const withFields = <One extends Entry>(channels: readonly One[], id: unknown, fields: object): One[] =>
  channels.map((channel) => (channel.stream_id === id ? { ...channel, ...fields } : channel))

const takenOut = (channels: Channels, ids: readonly number[]): Channels => ({
  subscriptions: without(channels.subscriptions, ids),
  unsubscribed: without(channels.unsubscribed, ids),
  never_subscribed: without(channels.never_subscribed, ids),
})

/** What is known of channels after a `stream` event; null when it tells what this client does not know. */
export function channelsAfterEvent(channels: Channels, event: Told): Channels | null {
  switch (event['op']) {
    case 'create': {
      const created = event['streams'] as Channels['never_subscribed']
      const others = takenOut(
        channels,
        created.map(({ stream_id }) => stream_id),
      )
      return { ...others, never_subscribed: [...others.never_subscribed, ...created] }
    }
    case 'delete':
      return takenOut(channels, event['stream_ids'] as number[])
    case 'update': {
      const { id: _, type: __, op: ___, name: ____, property, value, stream_id, ...extras } = event
      const fields = { ...extras, [String(property)]: value }
      return {
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
        never_subscribed: withFields(channels.never_subscribed, stream_id, fields),
      }
    }
    default:
      return null
  }
}

/** How one stands to channels after a `subscription` event about oneself; null when it tells what this client does not know. */
export function channelsAfterSubscription(channels: Channels, event: Told): Channels | null {
  switch (event['op']) {
    case 'add': {
      const added = event['subscriptions'] as Channels['subscriptions']
      const others = takenOut(
        channels,
        added.map(({ stream_id }) => stream_id),
      )
      return { ...others, subscriptions: [...others.subscriptions, ...added] }
    }
    case 'remove': {
      const ids = (event['subscriptions'] as Entry[]).map(({ stream_id }) => stream_id)
      const left = channels.subscriptions.filter(({ stream_id }) => ids.includes(stream_id))
      return { ...takenOut(channels, ids), unsubscribed: [...without(channels.unsubscribed, ids), ...left] }
    }
    case 'update': {
      const { property, value, stream_id } = event
      const fields = { [String(property)]: value }
      return {
        ...channels,
        subscriptions: withFields(channels.subscriptions, stream_id, fields),
        unsubscribed: withFields(channels.unsubscribed, stream_id, fields),
      }
    }
    default:
      return null
  }
}
