import { z } from 'zod'
import { toGroupSettingJson } from '#groups/membership.ts'
import type { RealmGroups } from '#groups/queries.ts'
import { type GroupSetting, groupSettingValue, type SystemGroupName } from '#realms/group-setting.ts'
import type { ChannelActivity } from './activity.ts'
import { type Channel, type ChannelSettingName, channelSettingNames } from './channel.ts'

const settingFields = Object.fromEntries(channelSettingNames.map((name) => [name, groupSettingValue])) as Record<
  ChannelSettingName,
  typeof groupSettingValue
>

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
  ...settingFields,
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
  const settings = channelSettingNames.map((name) => [name, toGroupSettingJson(groups, channel.settings[name])])
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
    ...(Object.fromEntries(settings) as Pick<ChannelJson, ChannelSettingName>),
  }
}
