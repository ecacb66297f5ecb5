import type { organizationTypes, RealmPermissionName } from '#realms/realm-settings.ts'
import { t } from '../text/t.ts'
import type { SettingText } from './personal-settings.ts'

/** The sections of the page of permissions, in their order. */
export const PERMISSION_SECTIONS = {
  people: t('People'),
  channels: t('Channels'),
  messages: t('Messages'),
  direct: t('Direct messages'),
  others: t('Groups, emoji and bots'),
}

type PermissionText = { section: keyof typeof PERMISSION_SECTIONS; label: string; hint?: string }

/** The labels of organization permissions, in the order in which they are shown; null if a permission has no effect. */
export const REALM_PERMISSIONS: Readonly<Record<RealmPermissionName, PermissionText | null>> = {
  can_invite_users_group: { section: 'people', label: t('Who can invite people by email?') },
  create_multiuse_invite_group: { section: 'people', label: t('Who can create invitation links?') },
  can_access_all_users_group: {
    section: 'people',
    label: t('Who can see all users?'),
    hint: t('Guests without this permission only see people in their channels and direct messages.'),
  },
  can_create_public_channel_group: { section: 'channels', label: t('Who can create public channels?') },
  can_create_private_channel_group: { section: 'channels', label: t('Who can create private channels?') },
  can_create_web_public_channel_group: { section: 'channels', label: t('Who can create web-public channels?') },
  can_add_subscribers_group: { section: 'channels', label: t('Who can add people to channels?') },
  can_mention_many_users_group: { section: 'channels', label: t('Who can use @all in large channels?') },
  can_delete_own_message_group: { section: 'messages', label: t('Who can delete their own messages?') },
  can_delete_any_message_group: { section: 'messages', label: t('Who can delete any message?') },
  can_move_messages_between_topics_group: { section: 'messages', label: t('Who can move messages to another topic?') },
  can_move_messages_between_channels_group: {
    section: 'messages',
    label: t('Who can move messages to another channel?'),
  },
  can_resolve_topics_group: { section: 'messages', label: t('Who can resolve topics?') },
  can_summarize_topics_group: null,
  direct_message_initiator_group: { section: 'direct', label: t('Who can start direct message conversations?') },
  direct_message_permission_group: {
    section: 'direct',
    label: t('Who can take part in direct message conversations?'),
    hint: t('At least one person in the conversation needs this permission.'),
  },
  can_create_groups: { section: 'others', label: t('Who can create user groups?') },
  can_manage_all_groups: { section: 'others', label: t('Who can administer all user groups?') },
  can_add_custom_emoji_group: { section: 'others', label: t('Who can add custom emoji?') },
  can_create_bots_group: { section: 'others', label: t('Who can create any bot?') },
  can_create_write_only_bots_group: { section: 'others', label: t('Who can create bots that can only post?') },
  can_manage_billing_group: null,
}

/** An organization setting with the texts that the settings search needs. */
type NamedSetting = SettingText & { readonly name: string }

const MESSAGES: readonly (readonly [name: string, label: string])[] = [
  ['allow_message_editing', t('Allow message editing')],
  ['message_content_edit_limit_seconds', t('Time limit for editing messages')],
  ['message_content_delete_limit_seconds', t('Time limit for deleting messages')],
  ['move_messages_within_stream_limit_seconds', t('Time limit for moving messages between topics')],
  ['move_messages_between_streams_limit_seconds', t('Time limit for moving messages between channels')],
  ['message_edit_history_visibility_policy', t('Edit history')],
  ['message_retention_days', t('Message retention')],
  ['mandatory_topics', t('Require topics in channel messages')],
  ['enable_read_receipts', t('Enable read receipts')],
  ['inline_image_preview', t('Show pictures and videos in messages')],
  ['inline_url_embed_preview', t('Show previews of websites')],
  ['default_code_block_language', t('Default language for code blocks')],
  ['video_chat_provider', t('Call provider')],
  ['jitsi_server_url', t('Jitsi server')],
  ['giphy_rating', t('GIFs in the compose box')],
]

const JOINING: readonly (readonly [name: string, label: string])[] = [
  ['invite_required', t('Require an invitation to join')],
  ['disallow_disposable_email_addresses', t('Don’t allow disposable email addresses')],
  ['emails_restricted_to_domains', t('Only allow email addresses from certain domains')],
  ['waiting_period_threshold', t('New users become full members')],
  ['name_changes_disabled', t('Only administrators can change names')],
  ['email_changes_disabled', t('Only administrators can change email addresses')],
  ['avatar_changes_disabled', t('Only administrators can change profile pictures')],
  ['require_unique_names', t('Require unique names')],
  ['session_idle_minutes', t('Log browsers out if they are not used')],
  ['session_lifetime_minutes', t('Log browsers out after a login')],
  ['enable_guest_user_indicator', t('Show a badge next to guests’ names')],
  ['enable_guest_user_dm_warning', t('Warn before someone sends a direct message to a guest')],
]

const ANNOUNCEMENTS: readonly (readonly [name: string, label: string])[] = [
  ['new_stream_announcements_stream_id', t('New channels')],
  ['signup_announcements_stream_id', t('New people')],
  ['send_channel_removal_notices', t('Notify people when someone removes them from a channel')],
  ['send_welcome_emails', t('Send a welcome email to new people')],
  ['digest_emails_enabled', t('Email weekly digests to people who have been away')],
  ['digest_weekday', t('Weekly digest day')],
  ['message_content_allowed_in_email_notifications', t('Include message content in emails')],
]

const inSection = (section: string, settings: readonly (readonly [string, string])[]): NamedSetting[] =>
  settings.map(([name, label]) => ({ name, label, section }))

/** The settings of the organization that have a control. */
export const ORGANIZATION_SETTINGS: readonly NamedSetting[] = [
  ...inSection('profile', [
    ['name', t('Name')],
    ['org_type', t('Type')],
    ['description', t('Description')],
  ]),
  ...inSection('messages', MESSAGES),
  ...inSection('announcements', ANNOUNCEMENTS),
  ...inSection('joining', JOINING),
  ...inSection('sign-in', [
    ['authentication_methods', t('Sign-in methods')],
    ['second_factor_required_for', t('Require two-step login')],
    ['second_factor_grace_days', t('Time to set it up')],
  ]),
  ...inSection('presence', [['presence_disabled', t('Hide everyone’s availability')]]),
  ...inSection('audit', [['audit_log_retention_days', t('Audit log retention')]]),
  ...inSection('permissions', [
    ['enable_spectator_access', t('Allow web-public channels')],
    ['allow_search_engines', t('Let search engines list web-public channels')],
  ]),
  ...Object.entries(REALM_PERMISSIONS).flatMap(([name, text]) =>
    text === null
      ? []
      : [{ name, section: 'permissions', label: text.label, ...(text.hint !== undefined && { about: text.hint }) }],
  ),
]

type TypeNumber = (typeof organizationTypes)[keyof typeof organizationTypes]

const LABELS: Readonly<Record<TypeNumber, string>> = {
  0: t('Not specified'),
  10: t('Business'),
  20: t('Open-source project'),
  30: t('Education (non-profit)'),
  35: t('Education (for-profit)'),
  40: t('Research'),
  50: t('Event or conference'),
  60: t('Non-profit (registered)'),
  70: t('Government'),
  80: t('Political group'),
  90: t('Community'),
  100: t('Personal'),
  1000: t('Other'),
}

/** The types of organizations, sorted by their numbers in the API. */
export const ORGANIZATION_TYPES: readonly { id: number; label: string }[] = Object.entries(LABELS).map(
  ([id, label]) => ({ id: Number(id), label }),
)
