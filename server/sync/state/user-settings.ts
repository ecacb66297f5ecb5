import { z } from 'zod'
import { type UserSettingName, userSettingDeclarations } from '../../users/settings.ts'
import type { User } from '../../users/user.ts'
import { type Slice, slice } from './slice.ts'

const emojisetNames = { google: 'Google', 'google-blob': 'Google blobs', twitter: 'Twitter', text: 'Plain text' }

/** What settings can be set to, as far as their values do not tell. */
const choices = {
  available_notification_sounds: [userSettingDeclarations.notification_sound.fallback],
  emojiset_choices: Object.entries(emojisetNames).map(([key, text]) => ({ key, text })),
}

const choiceFields = {
  available_notification_sounds: z.array(z.string()),
  emojiset_choices: z.array(z.strictObject({ key: z.string(), text: z.string() })),
}

const settingTypes = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { type }]) => [name, type]),
) as { [Name in UserSettingName]: (typeof userSettingDeclarations)[Name]['type'] }

const settingFields = { ...settingTypes, ...choiceFields, timezone: z.string() }

const toSettingsJson = (user: User) => ({ ...user.settings, ...choices, timezone: user.timezone })

export const userSettingsSlice = slice({
  types: ['user_settings'],
  returns: { user_settings: z.strictObject(settingFields) },
  fetch: ({ actor }) => ({ user_settings: toSettingsJson(actor) }),
})

const defaults = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { fallback }]) => [name, fallback]),
)

export const defaultSettingsSlice = slice({
  types: ['realm_user_settings_defaults'],
  returns: {
    realm_user_settings_defaults: z
      .record(z.string(), z.unknown())
      .describe('The personal settings with which newcomers begin.'),
  },
  fetch: () => ({ realm_user_settings_defaults: { ...defaults, ...choices } }),
})

type SettingField = keyof typeof settingFields

/** Of `user_settings`, these fields beside it, for clients that do not know of that. */
const olderSlice = (type: string, names: readonly SettingField[]): Slice => ({
  types: [type],
  returns: pick(settingFields, names),
  fetch: ({ actor, form }) => (form.takesUserSettings ? {} : pick(toSettingsJson(actor), names)),
})

const pick = <Values extends Record<SettingField, unknown>>(values: Values, names: readonly SettingField[]) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Record<string, Values[SettingField]>

export const olderSettingsSlices: readonly Slice[] = [
  olderSlice('update_display_settings', [
    'color_scheme',
    'default_language',
    'demote_inactive_streams',
    'emojiset',
    'emojiset_choices',
    'enable_drafts_synchronization',
    'enter_sends',
    'fluid_layout_width',
    'high_contrast_mode',
    'left_side_userlist',
    'starred_message_counts',
    'timezone',
    'translate_emoticons',
    'twenty_four_hour_time',
    'web_home_view',
  ]),
  olderSlice('update_global_notifications', [
    'available_notification_sounds',
    'desktop_icon_count_display',
    'email_notifications_batching_period_seconds',
    'enable_desktop_notifications',
    'enable_digest_emails',
    'enable_login_emails',
    'enable_marketing_emails',
    'enable_offline_email_notifications',
    'enable_offline_push_notifications',
    'enable_online_push_notifications',
    'enable_sounds',
    'enable_stream_audible_notifications',
    'enable_stream_desktop_notifications',
    'enable_stream_email_notifications',
    'enable_stream_push_notifications',
    'message_content_in_email_notifications',
    'notification_sound',
    'pm_content_in_desktop_notifications',
    'presence_enabled',
    'realm_name_in_email_notifications_policy',
    'wildcard_mentions_notify',
  ]),
]
