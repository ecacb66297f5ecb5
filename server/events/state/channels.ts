import { z } from 'zod'
import { findShownDefaultChannelIds } from '#channels/access.ts'
import { findActivity, newChannelActivity } from '#channels/activity.ts'
import { type ChannelJson, channelFields, toChannelJson } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import {
  inheritedNotifications,
  type SubscriptionJson,
  subscriptionFields,
  toSubscriptionJson,
  withInheritedNotifications,
} from '#channels/subscriptions.ts'
import { displayTopic, topicKey } from '#channels/topic.ts'
import {
  findUserTopics,
  toMutedTopicsJson,
  toUserTopicJson,
  type UserTopic,
  VisibilityPolicy,
} from '#channels/user-topics.ts'
import { hasMetadataAccess } from '#rules/permissions.ts'
import { type ChannelMembership, findEverySubscription, findSubscribersOfAll } from './queries.ts'
import { oncePerState, type StateScope, stateSlice } from './slice.ts'

const subscribers = z.array(z.int()).optional().describe('The ids of all active subscribers.')

/** A channel that the user can see, with their current or former subscription to it. */
type KnownChannel = { json: ChannelJson; membership: ChannelMembership | undefined }

/** Returns the channels ordered by name. Archived channels are included for clients that support them. */
const findKnownChannels = oncePerState(async (scope: StateScope): Promise<KnownChannel[]> => {
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

/** Returns the user's policies for topics in channels that they can see. */
const findPolicies = oncePerState(async (scope) => {
  const knownIds = new Set((await findKnownChannels(scope)).map(({ json }) => json.stream_id))
  return (await findUserTopics(scope.db, scope.actor.id)).filter((one) => knownIds.has(one.channelId))
})

/** Returns the topics for which the user has a policy. The empty topic has the name that the client supports. */
async function findTopics(scope: StateScope): Promise<UserTopic[]> {
  const { allowsEmptyTopic } = scope.form
  return (await findPolicies(scope)).map((one) => ({ ...one, topic: displayTopic(one.topic, allowsEmptyTopic) }))
}

export const userTopicSlice = stateSlice({
  types: ['user_topic'],
  returns: {
    user_topics: z.array(
      z.strictObject({
        stream_id: z.int(),
        topic_name: z.string(),
        last_updated: z.int(),
        visibility_policy: z.int(),
      }),
    ),
  },
  async fetch(scope) {
    return { user_topics: (await findTopics(scope)).map(toUserTopicJson) }
  },
})

export const mutedTopicSlice = stateSlice({
  types: ['muted_topics'],
  returns: {
    muted_topics: z
      .array(z.tuple([z.string(), z.string(), z.int()]))
      .describe('Channel, topic and time. For clients that do not name `user_topic`.'),
  },
  async fetch(scope) {
    return scope.names('user_topic') ? {} : { muted_topics: toMutedTopicsJson(await findTopics(scope)) }
  },
})

/** Returns a function that checks whether the user mutes a topic of a subscribed channel. */
export async function mutedTopicFinder(scope: StateScope): Promise<(channelId: number, topic: string) => boolean> {
  const policies = new Map(
    (await findPolicies(scope)).map((one) => [`${one.channelId} ${topicKey(one.topic)}`, one.visibilityPolicy]),
  )
  const channels = await findSubscribedChannels(scope)
  return (channelId, topic) => {
    const policy = policies.get(`${channelId} ${topicKey(topic)}`)
    if (policy !== undefined) return policy === VisibilityPolicy.muted
    return channels.get(channelId)?.subscription.isMuted ?? false
  }
}
