import type { Channel } from './channel.ts'
import type { ChannelJson } from './channel-json.ts'

export const channelsCreated = (streams: readonly ChannelJson[]) => ({ type: 'stream', op: 'create', streams }) as const

/** Returns the event for users who can no longer see the channels. The channels may still exist for others. */
export const channelsDeleted = (ids: readonly number[]) =>
  ({ type: 'stream', op: 'delete', streams: ids.map((id) => ({ stream_id: id })), stream_ids: ids }) as const

/** Returns the event for a changed property. `extras` are other fields that change with it. */
export const channelChanged = (
  channel: Pick<Channel, 'id' | 'name'>,
  property: keyof ChannelJson,
  value: unknown,
  extras: Partial<Pick<ChannelJson, 'rendered_description' | 'history_public_to_subscribers' | 'is_web_public'>> & {
    restored?: ChannelJson
  } = {},
) => ({ type: 'stream', op: 'update', property, value, stream_id: channel.id, name: channel.name, ...extras }) as const

export const defaultChannelsChanged = (ids: readonly number[]) =>
  ({ type: 'default_streams', default_streams: ids }) as const

/** Returns the event about users who have subscribed to the channels, for all users who may see the channels. */
export const peersAdded = (channelIds: readonly number[], userIds: readonly number[]) =>
  ({ type: 'subscription', op: 'peer_add', stream_ids: channelIds, user_ids: userIds }) as const
