import { z } from 'zod'
import { type RealmGroups, toGroupSettingJson } from '#groups/group.ts'
import { refusal } from '#lib/errors.ts'
import { escapeHtml } from '#lib/html.ts'
import { trimWhitespace } from '#lib/text.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import {
  excludesGuests,
  excludesInternet,
  type GroupSetting,
  groupSettingValue,
  type SystemGroupName,
} from '#realms/realm-settings.ts'
import { toStorableText } from '#storage/sql.ts'

// A channel: its fields, name, description and permissions, and its form for clients. Names are compared without
// regard to case. A description is one line of limited size, because every client downloads all of them.

export type Channel = {
  id: number
  realmId: number
  recipientId: number
  name: string
  description: string
  renderedDescription: string
  isPrivate: boolean
  isWebPublic: boolean
  /** True if subscribers may read messages that were sent before they joined. */
  isHistoryShared: boolean
  creatorId: number | null
  createdAt: number
  archivedAt: number | null
  messageRetentionDays: number | null
  settings: ChannelSettings
}

/** A channel's activity, as clients receive it. */
export type ChannelActivity = {
  /** The id of the oldest message in the channel; null if it has none. */
  firstMessageId: number | null
  isRecentlyActive: boolean
  /** The average number of messages per week; null if the channel is too new. */
  weeklyTraffic: number | null
}

export type Description = { description: string; renderedDescription: string }

type SettingDeclaration = {
  fallback: SystemGroupName | 'creator'
  excludes: readonly SystemGroupName[]
  meaning: string
}

/**
 * The permissions of a channel by API name: the default, the system groups that cannot be the value, and the meaning in
 * the API reference.
 */
export const channelSettingDeclarations = {
  can_add_subscribers_group: {
    fallback: 'role:nobody',
    excludes: excludesGuests,
    meaning: 'Who may subscribe others',
  },
  can_administer_channel_group: {
    fallback: 'creator',
    excludes: excludesGuests,
    meaning: 'Who may change the channel, in addition to administrators of the organization',
  },
  can_remove_subscribers_group: {
    fallback: 'role:administrators',
    excludes: excludesInternet,
    meaning: 'Who may unsubscribe others',
  },
  can_send_message_group: { fallback: 'role:everyone', excludes: excludesInternet, meaning: 'Who may post' },
  can_subscribe_group: {
    fallback: 'role:nobody',
    excludes: excludesGuests,
    meaning: 'Who may join, if the channel is private',
  },
} as const satisfies Record<string, SettingDeclaration>

export type ChannelSettingName = keyof typeof channelSettingDeclarations

export const channelSettingNames = Object.keys(channelSettingDeclarations) as ChannelSettingName[]

/** Returns the result of `map` for each permission of a channel. */
export const mapChannelSettings = <Result>(map: (name: ChannelSettingName) => Result) =>
  Object.fromEntries(channelSettingNames.map((name) => [name, map(name)])) as Record<ChannelSettingName, Result>

export type ChannelSettings = Record<ChannelSettingName, GroupSetting>

/** Returns the settings of a channel that `creatorId` created. Settings that were never changed have their defaults. */
export function readChannelSettings(changed: string, creatorId: number | null): ChannelSettings {
  const creator: GroupSetting =
    creatorId === null ? 'role:nobody' : { direct_members: [creatorId], direct_subgroups: [] }
  const defaults = mapChannelSettings((name) => {
    const { fallback } = channelSettingDeclarations[name]
    return fallback === 'creator' ? creator : fallback
  })
  return { ...defaults, ...(JSON.parse(changed) as Partial<ChannelSettings>) }
}

export const channelNameEmpty = refusal('BAD_REQUEST', 400, "Channel name can't be empty.", { field: 'name' })
export const channelNameTooLong = refusal('BAD_REQUEST', 400, 'Channel name too long (limit: 60 characters).', {
  field: 'name',
})
export const channelNameCharacter = refusal(
  'BAD_REQUEST',
  400,
  'Invalid character in channel name, at position {position}.',
  { field: 'name' },
)

/** The maximum length of a channel name, in code points. */
export const MAX_CHANNEL_NAME_LENGTH = 60

/** The characters that no name of a channel or topic may contain. */
export const UNPRINTABLE = /^[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]$/u

/** Returns the name without surrounding white space. Refuses a name that no channel can have. */
export function requireChannelName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw channelNameEmpty()
  const characters = Array.from(name)
  if (characters.length > MAX_CHANNEL_NAME_LENGTH) throw channelNameTooLong()
  const position = characters.findIndex((character) => UNPRINTABLE.test(character)) + 1
  if (position > 0) throw channelNameCharacter({ position })
  return name
}

/** Returns the key by which names are compared. Names that differ only in case have the same key. */
export function channelNameKey(name: string): string {
  return name.toLowerCase()
}

/** The maximum length of a description, in code points. */
export const MAX_DESCRIPTION_LENGTH = 1024

export const descriptionTooLong = refusal(
  'BAD_REQUEST',
  400,
  `description is too long (limit: ${MAX_DESCRIPTION_LENGTH} characters)`,
  { field: 'description' },
)

/**
 * The maximum length of the HTML, in UTF-16 units. A few characters, especially emoji, can produce a lot of HTML, which
 * is sent to everyone.
 */
const MAX_RENDERED_LENGTH = 6000

/** Returns the description as a request contains it. Refuses one that is too long. */
export function requireDescription(given: string, realm: Realm, externalUrl: string): Description {
  if (Array.from(oneLine(given)).length > MAX_DESCRIPTION_LENGTH) throw descriptionTooLong()
  return toDescription(given, realm, externalUrl)
}

/**
 * Returns the description on a single line, with its HTML. Mentions and channel links in it stay plain text. If the
 * HTML would be too long, the whole description stays plain text.
 */
export function toDescription(given: string, realm: Realm, externalUrl: string): Description {
  const description = oneLine(given)
  const scope = { ...emptyScope, realmUrls: [realmAddress(realm.subdomain, externalUrl).url] }
  const { html } = renderMarkdown(description, scope)
  const isShort = html.length <= MAX_RENDERED_LENGTH
  return { description, renderedDescription: isShort ? html : `<p>${escapeHtml(description.trim())}</p>` }
}

const oneLine = (given: string) => toStorableText(given.replace(/\r\n?|\n/g, ' '))

/** The fields of a channel that clients receive. */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  is_archived: z.boolean(),
  description: z.string(),
  rendered_description: z.string(),
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  message_retention_days: z.int().nullable(),
  first_message_id: z.int().nullable(),
  is_recently_active: z.boolean(),
  stream_weekly_traffic: z.int().nullable(),
  stream_post_policy: z.int(),
  is_announcement_only: z.boolean(),
  ...mapChannelSettings(() => groupSettingValue),
}

export type ChannelJson = { [Name in keyof typeof channelFields]: z.infer<(typeof channelFields)[Name]> }

/** The number that tells older clients which role may post, for each system group that can have the permission. */
const postPolicies: Partial<Record<SystemGroupName, number>> = {
  'role:everyone': 1,
  'role:administrators': 2,
  'role:owners': 2,
  'role:nobody': 2,
  'role:fullmembers': 3,
  'role:moderators': 4,
}

const EVERYONE_POSTS = 1
const ADMINISTRATORS_POST = 2

/** Returns the number for older clients that comes closest to the setting of who may post. */
export function toPostPolicy(groups: RealmGroups, setting: GroupSetting): number {
  const name = typeof setting === 'number' ? groups.byId.get(setting)?.systemName : setting
  return (typeof name === 'string' ? postPolicies[name] : undefined) ?? EVERYONE_POSTS
}

/** Returns whether the policy lets only administrators post. */
export function isAnnouncementPolicy(policy: number): boolean {
  return policy === ADMINISTRATORS_POST
}

export function toChannelJson(channel: Channel, activity: ChannelActivity, groups: RealmGroups): ChannelJson {
  const postPolicy = toPostPolicy(groups, channel.settings.can_send_message_group)
  return {
    stream_id: channel.id,
    name: channel.name,
    is_archived: channel.archivedAt !== null,
    description: channel.description,
    rendered_description: channel.renderedDescription,
    date_created: Math.floor(channel.createdAt),
    creator_id: channel.creatorId,
    invite_only: channel.isPrivate,
    is_web_public: channel.isWebPublic,
    history_public_to_subscribers: channel.isHistoryShared,
    message_retention_days: channel.messageRetentionDays,
    first_message_id: activity.firstMessageId,
    is_recently_active: activity.isRecentlyActive,
    stream_weekly_traffic: activity.weeklyTraffic,
    stream_post_policy: postPolicy,
    is_announcement_only: isAnnouncementPolicy(postPolicy),
    ...mapChannelSettings((name) => toGroupSettingJson(groups, channel.settings[name])),
  }
}
