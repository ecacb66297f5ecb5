import type { RealmPermissionName, RealmSettingName } from '../../../server/organizations/realms/settings.ts'
import { t } from '../../text/t.ts'

type Words = { label: string; hint?: string }

/** What each permission of the organization is about, in the order in which they are shown; null where nothing follows from it. */
export const REALM_PERMISSIONS: Readonly<Record<RealmPermissionName, Words | null>> = {
  can_invite_users_group: { label: t('Who can invite by e-mail?') },
  create_multiuse_invite_group: { label: t('Who can make links to join by?') },
  can_access_all_users_group: {
    label: t('Who can see everybody?'),
    hint: t('Guests who cannot know only those with whom they share a channel or a talk.'),
  },
  can_create_public_channel_group: { label: t('Who can make public channels?') },
  can_create_private_channel_group: { label: t('Who can make private channels?') },
  can_create_web_public_channel_group: null,
  can_add_subscribers_group: { label: t('Who can add others to channels?') },
  can_mention_many_users_group: { label: t('Who can mention everybody in a large channel?') },
  can_delete_own_message_group: { label: t('Who can delete what they wrote?') },
  can_delete_any_message_group: { label: t('Who can delete what others wrote?') },
  can_move_messages_between_topics_group: { label: t('Who can move messages to other topics?') },
  can_move_messages_between_channels_group: { label: t('Who can move messages to other channels?') },
  can_resolve_topics_group: { label: t('Who can mark topics as resolved?') },
  can_summarize_topics_group: null,
  direct_message_initiator_group: { label: t('Who can begin a direct talk?') },
  direct_message_permission_group: {
    label: t('Who can be in direct talks?'),
    hint: t('One of those in a talk has to be among them.'),
  },
  can_create_groups: { label: t('Who can make groups?') },
  can_manage_all_groups: { label: t('Who can change any group?') },
  can_add_custom_emoji_group: { label: t('Who can add emoji?') },
  can_create_bots_group: { label: t('Who can make bots?') },
  can_create_write_only_bots_group: { label: t('Who can make bots that only write?') },
  can_manage_billing_group: null,
}

/** What only owners change: by it the organization grows or forgets. */
export const OWNER_SETTINGS: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'can_create_groups',
  'can_invite_users_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
  'create_multiuse_invite_group',
  'disallow_disposable_email_addresses',
  'emails_restricted_to_domains',
  'invite_required',
  'message_retention_days',
  'waiting_period_threshold',
])
