import { isOpenToSpectators } from '#channels/access.ts'
import { findActivity, newChannelActivity } from '#channels/activity.ts'
import { type Channel, mapChannelSettings, toChannelJson } from '#channels/channel.ts'
import { findRealmChannels } from '#channels/queries.ts'
import { defaultColor, inheritedNotifications, type SubscriptionJson } from '#channels/subscriptions.ts'
import { findRealmEmoji, toEmojiJson } from '#realms/emoji.ts'
import { channelIdSettings, realmPermissionNames } from '#realms/realm-settings.ts'
import { linkifierSlice, realmSettingsSlice, realmSlice } from './realm.ts'
import { serverSlice } from './server.ts'
import type { StateScope } from './slice.ts'

/** The state that is the same for everyone and says nothing about people. */
const openSlices = [realmSlice, serverSlice, linkifierSlice]

/** The state of users that clients expect, and that spectators do not have, by event type. */
const NOTHING: Readonly<Record<string, Record<string, unknown>>> = {
  alert_words: { alert_words: [] },
  custom_profile_fields: { custom_profile_fields: [], custom_profile_field_types: {} },
  default_streams: { realm_default_streams: [] },
  drafts: { drafts: [] },
  message: { max_message_id: -1 },
  muted_topics: { muted_topics: [] },
  muted_users: { muted_users: [] },
  onboarding_steps: { onboarding_steps: [], navigation_tour_video_url: null },
  presence: { presences: {}, presence_last_update_id: -1 },
  realm_bot: { realm_bots: [] },
  realm_domains: { realm_domains: [] },
  realm_filters: { realm_filters: [] },
  realm_playgrounds: { realm_playgrounds: [] },
  realm_user: { realm_users: [], realm_non_active_users: [], cross_realm_bots: [] },
  realm_user_groups: { realm_user_groups: [] },
  recent_private_conversations: { recent_private_conversations: [] },
  reminders: { reminders: [] },
  saved_snippets: { saved_snippets: [] },
  scheduled_messages: { scheduled_messages: [] },
  starred_messages: { starred_messages: [] },
  user_status: { user_status: {} },
  user_topic: { user_topics: [] },
}

/**
 * Returns the state for a spectator. It is put together from a list of what is open, so that a new part of the state
 * stays hidden until it is added here: the organization without its permissions, custom emoji, linkifiers, and the
 * web-public channels as subscriptions. There are no people in it.
 */
export async function fetchSpectatorState(scope: StateScope): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {}
  for (const [type, fields] of Object.entries(NOTHING)) if (scope.wants(type)) Object.assign(state, fields)
  for (const { types, fetch } of openSlices) if (types.every(scope.wants)) Object.assign(state, await fetch(scope))
  if (scope.wants('realm_emoji')) Object.assign(state, await emojiWithoutAuthors(scope))
  if (scope.wants('realm')) Object.assign(state, await openSettings(scope))
  if (scope.wants('subscription')) {
    const subscriptions = await findSubscriptions(scope)
    Object.assign(state, { subscriptions, unsubscribed: [], never_subscribed: [] })
  }
  return state
}

async function emojiWithoutAuthors({ db, actor }: StateScope): Promise<Record<string, unknown>> {
  const emoji = Object.values(toEmojiJson(await findRealmEmoji(db, actor.realmId)))
  return { realm_emoji: Object.fromEntries(emoji.map((one) => [one.id, { ...one, author_id: null }])) }
}

/** The settings without permissions, which can name people, and without ids of channels, which can be private. */
async function openSettings(scope: StateScope): Promise<Record<string, unknown>> {
  const settings = Object.entries(await realmSettingsSlice.fetch(scope))
  return Object.fromEntries(settings.filter(([name]) => !HIDDEN_SETTINGS.has(name)))
}

const HIDDEN_SETTINGS = new Set([...channelIdSettings, ...realmPermissionNames].map((name) => `realm_${name}`))

/** Returns the web-public channels with the subscription that a new user would have. */
async function findSubscriptions({ db, actor, now, membership }: StateScope): Promise<SubscriptionJson[]> {
  const open = (await findRealmChannels(db, actor.realmId)).filter((channel) =>
    isOpenToSpectators(actor.realm, channel),
  )
  const activity = await findActivity(db, open, now)
  return open
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((channel) => ({
      ...toChannelJson(withoutPeople(channel), activity.get(channel.id) ?? newChannelActivity, membership.groups),
      color: defaultColor(channel.id),
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      wildcard_mentions_notify: null,
      ...inheritedNotifications(actor),
    }))
}

/** Returns the channel without its creator, and with permissions that name nobody. */
const withoutPeople = (channel: Channel): Channel => ({
  ...channel,
  creatorId: null,
  settings: mapChannelSettings(() => 'role:nobody' as const),
})
