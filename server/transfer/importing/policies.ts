import type { SystemGroupName } from '#realms/group-setting.ts'
import type { RealmPermissionName } from '#realms/settings.ts'

/** The groups by the numeric permission levels of older versions, in which settings were numbers and not groups. */
const common: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:members',
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
  5: 'role:everyone',
  6: 'role:nobody',
  7: 'role:owners',
}

const mentions: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:everyone',
  2: 'role:members',
  3: 'role:fullmembers',
  5: 'role:administrators',
  6: 'role:nobody',
  7: 'role:moderators',
}

const [bots, hooks]: Readonly<Record<number, SystemGroupName>>[] = [
  { 1: 'role:members', 2: 'role:administrators', 3: 'role:administrators' },
  { 1: 'role:members', 2: 'role:members', 3: 'role:administrators' },
]

type Policy = { name: string; permission: RealmPermissionName; groups: Readonly<Record<number, SystemGroupName>> }

/** The settings of older versions, and the settings that replaced them. */
export const legacyPolicies: readonly Policy[] = [
  { name: 'create_public_stream_policy', permission: 'can_create_public_channel_group', groups: common },
  { name: 'create_private_stream_policy', permission: 'can_create_private_channel_group', groups: common },
  { name: 'create_web_public_stream_policy', permission: 'can_create_web_public_channel_group', groups: common },
  { name: 'invite_to_realm_policy', permission: 'can_invite_users_group', groups: common },
  { name: 'invite_to_stream_policy', permission: 'can_add_subscribers_group', groups: common },
  {
    name: 'move_messages_between_streams_policy',
    permission: 'can_move_messages_between_channels_group',
    groups: common,
  },
  { name: 'edit_topic_policy', permission: 'can_move_messages_between_topics_group', groups: common },
  { name: 'user_group_edit_policy', permission: 'can_create_groups', groups: common },
  { name: 'user_group_edit_policy', permission: 'can_manage_all_groups', groups: common },
  { name: 'add_custom_emoji_policy', permission: 'can_add_custom_emoji_group', groups: common },
  { name: 'delete_own_message_policy', permission: 'can_delete_own_message_group', groups: common },
  { name: 'wildcard_mention_policy', permission: 'can_mention_many_users_group', groups: mentions },
  { name: 'bot_creation_policy', permission: 'can_create_bots_group', groups: bots! },
  { name: 'bot_creation_policy', permission: 'can_create_write_only_bots_group', groups: hooks! },
  {
    name: 'private_message_policy',
    permission: 'direct_message_permission_group',
    groups: { 1: 'role:everyone', 2: 'role:nobody' },
  },
]

/** The groups that may send messages to a channel, by their numbers in older versions. */
export const postPolicies: Readonly<Record<number, SystemGroupName>> = {
  1: 'role:everyone',
  2: 'role:administrators',
  3: 'role:fullmembers',
  4: 'role:moderators',
}
