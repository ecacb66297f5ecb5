import { z } from 'zod'
import { findShownDefaultChannelIds } from '#channels/access.ts'
import { newChannelActivity } from '#channels/activity.ts'
import { findActivity } from '#channels/activity-queries.ts'
import { type ChannelJson, channelFields, toChannelJson } from '#channels/channel-json.ts'
import { findRealmChannels } from '#channels/queries.ts'
import {
  inheritedNotifications,
  type SubscriptionJson,
  subscriptionFields,
  toSubscriptionJson,
  withInheritedNotifications,
} from '#channels/subscriptions/subscription.ts'
import { hasMetadataAccess } from '#rules/channel-rules.ts'
import { type ChannelMembership, findEverySubscription, findSubscribersOfAll } from './queries.ts'
import { oncePerState, type StateScope, stateSlice } from './slice.ts'

const subscribers = z.array(z.int()).optional().describe('The ids of all active subscribers.')

/** A channel that the user can see, with their current or former subscription to it. */
type KnownChannel = { json: ChannelJson; membership: ChannelMembership | undefined }

/** Returns the channels ordered by name. Archived channels are included for clients that support them. */
export const findKnownChannels = oncePerState(async (scope: StateScope): Promise<KnownChannel[]> => {
  const { db, actor, membership, form, now } = scope
  const memberships = await findEverySubscription(db, actor.id)
  const known = (await findRealmChannels(db, actor.realmId)).filter(
    (channel) =>
      (channel.archivedAt === null || form.takesArchivedChannels) &&
      hasMetadataAccess(membership, actor, channel, memberships.get(channel.id)?.isSubscribed ?? false),
  )
  const activity = await findActivity(db, known, now)
  return known
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((channel) => ({
      json: toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, membership.groups),
      membership: memberships.get(channel.id),
    }))
})

/** Returns the user's subscriptions by channel id. */
export const findSubscribedChannels = oncePerState(
  async (scope: StateScope): Promise<Map<number, ChannelMembership>> => {
    const known = await findKnownChannels(scope)
    return new Map(
      known.flatMap(({ json, membership }) => (membership?.isSubscribed ? [[json.stream_id, membership]] : [])),
    )
  },
)

export const channelSlice = stateSlice({
  types: ['stream'],
  returns: { streams: z.array(z.strictObject(channelFields)).describe('The channels that you can see.') },
  async fetch(scope) {
    return { streams: (await findKnownChannels(scope)).map(({ json }) => json) }
  },
})

export const subscriptionSlice = stateSlice({
  types: ['subscription'],
  returns: {
    subscriptions: z.array(z.strictObject(subscriptionFields)),
    unsubscribed: z.array(z.strictObject(subscriptionFields)).describe('Channels that you left.'),
    never_subscribed: z.array(z.strictObject({ ...channelFields, subscribers })),
  },
  async fetch(scope) {
    const { db, actor, form } = scope
    const all = form.includesSubscribers ? await findSubscribersOfAll(db, actor.realmId) : null
    const peersIn = (id: number) => (all === null ? undefined : [...(all.get(id) ?? [])])
    const inherited = inheritedNotifications(actor)
    const state = {
      subscriptions: [] as SubscriptionJson[],
      unsubscribed: [] as SubscriptionJson[],
      never_subscribed: [] as (ChannelJson & { subscribers?: number[] })[],
    }
    for (const { json, membership } of await findKnownChannels(scope)) {
      const peers = peersIn(json.stream_id)
      if (membership === undefined) {
        state.never_subscribed.push(peers === undefined ? json : { ...json, subscribers: peers })
        continue
      }
      const subscription = toSubscriptionJson(membership.subscription, json, peers)
      const list = membership.isSubscribed ? state.subscriptions : state.unsubscribed
      list.push(form.takesUnsetNotifications ? subscription : withInheritedNotifications(subscription, inherited))
    }
    return state
  },
})

export const defaultChannelSlice = stateSlice({
  types: ['default_streams'],
  returns: {
    realm_default_streams: z
      .array(z.int())
      .describe('The channels that new users are subscribed to; empty for guests.'),
  },
  async fetch({ db, actor }) {
    return { realm_default_streams: await findShownDefaultChannelIds(db, actor) }
  },
})
