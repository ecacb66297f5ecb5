import type { RealmPermissionName, RealmSettingName } from '#realms/settings.ts'
import { t } from '../../text/t.ts'

type Words = { label: string; hint?: string }

/** The labels of organization permissions, in the order in which they are shown; null if a permission has no effect. */
export const REALM_PERMISSIONS: Readonly<Record<RealmPermissionName, Words | null>> = {
  can_invite_users_group: { label: t('Who can invite people by email?') },
  create_multiuse_invite_group: { label: t('Who can create invitation links?') },
  can_access_all_users_group: {
    label: t('Who can see all users?'),
    hint: t('Guests without this permission only see people in their channels and direct messages.'),
  },
  can_create_public_channel_group: { label: t('Who can create public channels?') },
  can_create_private_channel_group: { label: t('Who can create private channels?') },
  can_create_web_public_channel_group: { label: t('Who can create web-public channels?') },
  can_add_subscribers_group: { label: t('Who can add people to channels?') },
  can_mention_many_users_group: { label: t('Who can use @all in large channels?') },
  can_delete_own_message_group: { label: t('Who can delete their own messages?') },
  can_delete_any_message_group: { label: t('Who can delete any message?') },
  can_move_messages_between_topics_group: { label: t('Who can move messages to another topic?') },
  can_move_messages_between_channels_group: { label: t('Who can move messages to another channel?') },
  can_resolve_topics_group: { label: t('Who can resolve topics?') },
  can_summarize_topics_group: null,
  direct_message_initiator_group: { label: t('Who can start direct message conversations?') },
  direct_message_permission_group: {
    label: t('Who can take part in direct message conversations?'),
    hint: t('At least one person in the conversation needs this permission.'),
  },
  can_create_groups: { label: t('Who can create user groups?') },
  can_manage_all_groups: { label: t('Who can administer all user groups?') },
  can_add_custom_emoji_group: { label: t('Who can add custom emoji?') },
  can_create_bots_group: { label: t('Who can create any bot?') },
  can_create_write_only_bots_group: { label: t('Who can create bots that can only post?') },
  can_manage_billing_group: null,
}

/** Settings that only owners can change. */
export const OWNER_SETTINGS: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'can_create_groups',
  'can_invite_users_group',
  'can_manage_all_groups',
  'create_multiuse_invite_group',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'invite_required',
  'message_retention_days',
  'waiting_period_threshold',
])
