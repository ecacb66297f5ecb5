import { z } from 'zod'
import { findRealmGroups } from '#groups/queries.ts'
import { viewerOf } from '#groups/viewer.ts'
import { type Call, endpoint } from '#http/endpoint.ts'
import { textOrJson } from '#http/params.ts'
import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { mustBeAdministrator, noSuchUser, requireAdministrator, requireUser, userDeactivated } from '#people/access.ts'
import { isVisible } from '#people/users.ts'
import { groupSettingUpdate, groupSettingValue } from '#realms/realm-settings.ts'
import {
  findSubscriptionStatuses,
  invalidChannelId,
  maySeeChannel,
  privateCannotBeDefault,
  requireChannel,
} from './access.ts'
import { findActivity, newChannelActivity } from './activity.ts'
import { countSubscribers, findChannelSubscriberIds, findSubscriberIds } from './audience.ts'
import { channelFields, channelSettingDeclarations, mapChannelSettings, toChannelJson } from './channel.ts'
import { findFilteredChannels } from './list-channels.ts'
import { findChannelByName, findChannelsById, findDefaultChannelIds, lockChannel } from './queries.ts'
import { setDefaultChannel } from './set-default-channel.ts'
import * as properties from './set-subscription-properties.ts'
import { findSubscriptions, subscriptionFields, toSubscriptionJson } from './subscriptions.ts'
import { patchMutedTopics, postUserTopic } from './user-topic-endpoints.ts'

// The endpoints that read channels and subscriptions, and that change only the caller's own view of them.
// Subscribing, leaving and changing channels also send messages, so these endpoints are workflows.

const form = 'the id of a user group, or `direct_members` and `direct_subgroups`'

/** The parameters for the permissions of a new channel. */
export const channelSettingParams = mapChannelSettings((name) =>
  groupSettingValue.optional().describe(`${channelSettingDeclarations[name].meaning}: ${form}.`),
)

/** The parameters for changes to the permissions of a channel. */
export const channelSettingUpdateParams = mapChannelSettings((name) =>
  groupSettingUpdate
    .optional()
    .describe(
      `${channelSettingDeclarations[name].meaning}: \`new\` and optionally \`old\`, which must match the current value; each is ${form}.`,
    ),
)

const flag = (fallback: boolean, meaning: string) => z.boolean().default(fallback).describe(meaning)

export const listChannels = endpoint({
  route: 'GET /streams',
  summary: 'List channels',
  description: 'Each filter adds channels. Channels that you may not see are left out. Sorted by name.',
  who: 'user',
  params: {
    include_public: flag(true, 'Whether to list public channels. Guests only get those that they are subscribed to.'),
    include_web_public: flag(false, 'Whether to list web-public channels.'),
    include_subscribed: flag(true, 'Whether to list the channels that you are subscribed to.'),
    exclude_archived: flag(true, 'Whether to leave out archived channels.'),
    include_all_active: flag(false, 'An older name for `include_all` together with `exclude_archived`.'),
    include_all: flag(false, 'Whether to list all channels that you may see.'),
    include_default: flag(false, 'Whether to list default channels, and to include `is_default` in every channel.'),
    include_owner_subscribed: flag(
      false,
      'Whether to list the channels that your owner is subscribed to, if you are a bot.',
    ),
    include_can_access_content: flag(false, 'Whether to list all channels that you can read.'),
    include_subscriber_counts: flag(false, 'Whether to include `subscriber_count` in every channel.'),
  },
  returns: {
    streams: z.array(
      z.strictObject({
        ...channelFields,
        is_default: z.boolean().optional(),
        subscriber_count: z.int().optional().describe('The number of active subscribers.'),
      }),
    ),
  },
  async handle({ db, actor, clock }, params) {
    const now = clock.now()
    const channels = await findFilteredChannels(viewerOf(db, actor, now), {
      public: params.include_public,
      webPublic: params.include_web_public,
      subscribed: params.include_subscribed,
      archived: !params.exclude_archived && !params.include_all_active,
      all: params.include_all || params.include_all_active,
      default: params.include_default,
      ownerSubscribed: params.include_owner_subscribed,
      readable: params.include_can_access_content,
    })
    const activity = await findActivity(db, channels, now)
    const groups = await findRealmGroups(db, actor.realmId)
    const defaultIds = await findDefaultChannelIds(db, actor.realmId)
    const ids = channels.map(({ id }) => id)
    const counts = params.include_subscriber_counts ? await countSubscribers(db, ids) : null
    return {
      streams: channels.map((channel) => ({
        ...toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups),
        ...(params.include_default && { is_default: defaultIds.has(channel.id) }),
        ...(counts !== null && { subscriber_count: counts.get(channel.id) ?? 0 }),
      })),
    }
  },
})

export const getChannel = endpoint({
  route: 'GET /streams/{stream_id}',
  summary: 'Get a channel by its id',
  who: 'user',
  returns: { stream: z.strictObject(channelFields) },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, { stream_id: id }) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), id)
    const activity = await findActivity(db, [channel], clock.now())
    const groups = await findRealmGroups(db, actor.realmId)
    return { stream: toChannelJson(channel, activity.get(id) ?? newChannelActivity, groups) }
  },
})

const invalidChannelName = refusal('BAD_REQUEST', 400, "Invalid channel name '{name}'", { field: 'stream' })

export const getChannelId = endpoint({
  route: 'GET /get_stream_id',
  summary: "Get a channel's id by its name",
  who: 'user',
  params: { stream: z.string().describe('The name of the channel, in any case.') },
  returns: { stream_id: z.int() },
  refuses: [invalidChannelName],
  async handle({ db, actor, clock }, { stream: name }) {
    const channel = await findChannelByName(db, actor.realmId, trimWhitespace(name))
    const isKnown = await maySeeChannel(viewerOf(db, actor, clock.now()), channel)
    if (channel === null || !isKnown) throw invalidChannelName({ name })
    return { stream_id: channel.id }
  },
})

const params = { stream_id: z.int().describe('Id of the channel.') }

async function setDefault({ transaction, actor }: Call, channelId: number, isDefault: boolean): Promise<void> {
  requireAdministrator(actor)
  await transaction(async (tx) => {
    const { id } = await requireChannel(viewerOf(tx.db, actor, tx.now), channelId)
    const channel = await lockChannel(tx, id)
    if (channel.archivedAt !== null) throw invalidChannelId()
    await setDefaultChannel(tx, actor.realm, channel, isDefault)
  })
}

export const addDefaultChannel = endpoint({
  route: 'POST /default_streams',
  summary: 'Add a default channel',
  who: 'user',
  params,
  refuses: [mustBeAdministrator, invalidChannelId, privateCannotBeDefault],
  async handle(call, { stream_id: id }) {
    await setDefault(call, id, true)
    return {}
  },
})

export const removeDefaultChannel = endpoint({
  route: 'DELETE /default_streams',
  summary: 'Remove a default channel',
  who: 'user',
  params,
  refuses: [mustBeAdministrator, invalidChannelId],
  async handle(call, { stream_id: id }) {
    await setDefault(call, id, false)
    return {}
  },
})

export const listSubscriptions = endpoint({
  route: 'GET /users/me/subscriptions',
  summary: 'List the channels you are subscribed to',
  description: 'Archived channels are left out.',
  who: 'user',
  params: {
    include_subscribers: z.boolean().default(false).describe('Whether to list the subscribers of each channel.'),
  },
  returns: { subscriptions: z.array(z.strictObject(subscriptionFields)) },
  async handle({ db, actor, clock }, params) {
    const subscriptions = await findSubscriptions(db, actor.id)
    const ids = subscriptions.map((subscription) => subscription.channelId)
    const channels = (await findChannelsById(db, actor.realmId, ids)).filter((channel) => channel.archivedAt === null)
    const activity = await findActivity(db, channels, clock.now())
    const groups = await findRealmGroups(db, actor.realmId)
    const subscribers = params.include_subscribers ? await findSubscriberIds(db, ids) : null
    const byId = new Map(channels.map((channel) => [channel.id, channel]))
    return {
      subscriptions: subscriptions.flatMap((subscription) => {
        const channel = byId.get(subscription.channelId)
        if (channel === undefined) return []
        const json = toChannelJson(channel, activity.get(channel.id) ?? newChannelActivity, groups)
        const peers = subscribers === null ? undefined : [...(subscribers.get(channel.id) ?? [])]
        return toSubscriptionJson(subscription, json, peers)
      }),
    }
  },
})

export const listSubscribers = endpoint({
  route: 'GET /streams/{stream_id}/members',
  summary: 'List the subscribers of a channel',
  who: 'user',
  returns: { subscribers: z.array(z.int()).describe('Ids of active subscribers, in ascending order.') },
  refuses: [invalidChannelId],
  async handle({ db, actor, clock }, { stream_id: id }) {
    const channel = await requireChannel(viewerOf(db, actor, clock.now()), id)
    return { subscribers: [...(await findChannelSubscriberIds(db, channel.id))] }
  },
})

export const getSubscriptionStatus = endpoint({
  route: 'GET /users/{user_id}/subscriptions/{stream_id}',
  summary: 'Check whether a user is subscribed to a channel',
  who: 'user',
  returns: { is_subscribed: z.boolean() },
  refuses: [noSuchUser, userDeactivated, invalidChannelId],
  async handle({ db, actor, clock }, { user_id: userId, stream_id: channelId }) {
    const viewer = viewerOf(db, actor, clock.now())
    const user = await requireUser(db, actor, userId)
    if (!isVisible(await viewer.visibleIds(), user)) throw noSuchUser()
    if (user.deactivatedAt !== null) throw userDeactivated()
    await requireChannel(viewer, channelId)
    const statuses = await findSubscriptionStatuses(db, userId, [channelId])
    return { is_subscribed: statuses.get(channelId) === 'subscribed' }
  },
})

const propertyRefusals = [
  invalidChannelId,
  properties.notSubscribed,
  properties.unknownProperty,
  properties.notABoolean,
  properties.notAString,
  properties.propertyNotAColor,
]

export const setSubscriptionPropertyEndpoint = endpoint({
  route: 'PATCH /users/me/subscriptions/{stream_id}',
  summary: 'Change a property of one of your subscriptions',
  description: 'Deprecated: use `POST /users/me/subscriptions/properties`.',
  who: 'user',
  params: { property: z.string(), value: textOrJson(z.string(), z.boolean()) },
  refuses: propertyRefusals,
  async handle({ transaction, actor }, { stream_id: channelId, property, value: text }) {
    const value = text === 'true' || text === 'false' ? text === 'true' : text
    await transaction((tx) => properties.setSubscriptionProperties(tx, actor, [{ channelId, property, value }]))
    return {}
  },
})

export const setSubscriptionPropertiesEndpoint = endpoint({
  route: 'POST /users/me/subscriptions/properties',
  summary: 'Change the properties of your subscriptions',
  description: 'If any change is refused, nothing is changed.',
  who: 'user',
  params: {
    subscription_data: z
      .array(z.object({ stream_id: z.int(), property: z.string(), value: z.union([z.boolean(), z.string()]) }))
      .describe(
        'Each has the id of a channel, a property (`color`, `is_muted`, `pin_to_top` or a notification setting) ' +
          'and its value.',
      ),
  },
  refuses: propertyRefusals,
  async handle({ transaction, actor }, params) {
    const changes = params.subscription_data.map(({ stream_id: channelId, ...change }) => ({ channelId, ...change }))
    await transaction((tx) => properties.setSubscriptionProperties(tx, actor, changes))
    return {}
  },
})

export const userTopicEndpoints = [postUserTopic, patchMutedTopics]
