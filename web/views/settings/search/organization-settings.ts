import { t } from '../../../text/t.ts'
import { REALM_PERMISSIONS } from '../../organization/realm-permissions.ts'
import type { SettingText } from '../catalogue/personal-settings.ts'

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
  ...inSection('presence', [['presence_disabled', t('Hide everyone’s availability')]]),
  ...inSection('permissions', [['enable_spectator_access', t('Allow web-public channels')]]),
  ...Object.entries(REALM_PERMISSIONS).flatMap(([name, text]) =>
    text === null
      ? []
      : [{ name, section: 'permissions', label: text.label, ...(text.hint !== undefined && { about: text.hint }) }],
  ),
]
