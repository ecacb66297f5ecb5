import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { ownField, ownFieldNames } from '#lib/protocol.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The settings of users: one declaration lists each with its type and default, and an organization can have defaults
// of its own. A setting that was never changed has its default.

/** The values of the setting that decides who may see a user's real address, as in the API. */
export const AddressVisibility = { everyone: 1, members: 2, administrators: 3, nobody: 4, moderators: 5 } as const

const value = <Type extends z.ZodType>(type: Type, fallback: z.infer<Type>) => ({ type, fallback })

const flag = (fallback: boolean) => value(z.boolean(), fallback)

const oneOf = (numbers: readonly number[], fallback: number) =>
  value(
    z.int().refine((number) => numbers.includes(number), 'Not in the list of possible values'),
    fallback,
  )

/** A UNIX time; 0 for none. Only this server has such settings. */
const time = value(ownField(z.int().min(0)), 0)

/** The personal settings by API name. Their defaults are those of the reference server. */
export const userSettingDeclarations = {
  presence_enabled: flag(true),
  email_address_visibility: oneOf(Object.values(AddressVisibility), AddressVisibility.everyone),

  twenty_four_hour_time: flag(false),
  web_mark_read_on_scroll_policy: oneOf([1, 2, 3], 1),
  web_channel_default_view: oneOf([1, 2, 3, 4], 1),
  starred_message_counts: flag(true),
  receives_typing_notifications: flag(true),
  web_suggest_update_timezone: flag(true),
  fluid_layout_width: flag(false),
  high_contrast_mode: flag(false),
  web_font_size_px: value(z.int().min(12).max(20), 16),
  web_line_height_percent: value(z.int().min(100).max(200), 140),
  color_scheme: oneOf([1, 2, 3], 1),
  enable_drafts_synchronization: flag(true),
  translate_emoticons: flag(false),
  display_emoji_reaction_users: flag(true),
  default_language: value(z.string(), 'en'),
  web_home_view: value(z.enum(['inbox', 'recent_topics', 'all_messages']), 'inbox'),
  web_escape_navigates_to_home_view: flag(true),
  left_side_userlist: flag(false),
  emojiset: value(z.enum(['google', 'google-blob', 'twitter', 'text']), 'google'),
  demote_inactive_streams: oneOf([1, 2, 3], 1),
  user_list_style: oneOf([1, 2, 3], 3),
  web_animate_image_previews: value(z.enum(['always', 'on_hover', 'never']), 'on_hover'),
  web_stream_unreads_count_display_policy: oneOf([1, 2, 3], 2),
  web_navigate_to_sent_message: flag(true),
  hide_ai_features: flag(false),
  enter_sends: flag(false),

  send_private_typing_notifications: flag(true),
  send_stream_typing_notifications: flag(true),
  send_read_receipts: flag(true),
  allow_private_data_export: flag(false),

  enable_stream_desktop_notifications: flag(false),
  enable_stream_email_notifications: flag(false),
  enable_stream_push_notifications: flag(false),
  enable_stream_audible_notifications: flag(false),
  notification_sound: value(z.string(), 'zulip'),
  enable_desktop_notifications: flag(true),
  enable_sounds: flag(true),
  enable_followed_topic_desktop_notifications: flag(true),
  enable_followed_topic_email_notifications: flag(true),
  enable_followed_topic_push_notifications: flag(true),
  enable_followed_topic_audible_notifications: flag(true),
  enable_followed_topic_wildcard_mentions_notify: flag(true),
  email_notifications_batching_period_seconds: value(z.int(), 120),
  enable_offline_email_notifications: flag(true),
  enable_offline_push_notifications: flag(true),
  enable_online_push_notifications: flag(true),
  enable_digest_emails: flag(true),
  enable_marketing_emails: flag(true),
  enable_login_emails: flag(true),
  message_content_in_email_notifications: flag(true),
  pm_content_in_desktop_notifications: flag(true),
  wildcard_mentions_notify: flag(true),
  desktop_icon_count_display: oneOf([1, 2, 3, 4], 1),
  realm_name_in_email_notifications_policy: oneOf([1, 2, 3], 1),
  automatically_follow_topics_policy: oneOf([1, 2, 3, 4], 3),
  automatically_unmute_topics_in_muted_streams_policy: oneOf([1, 2, 3, 4], 2),
  automatically_follow_topics_where_mentioned: flag(true),

  presence_hidden_until: time,
  do_not_disturb_until: time,
} as const

type Declarations = typeof userSettingDeclarations

export const userSettingTypes = Object.fromEntries(
  Object.entries(userSettingDeclarations).map(([name, { type }]) => [name, type]),
) as { [Name in UserSettingName]: Declarations[Name]['type'] }

export const ownUserSettings = ownFieldNames(userSettingTypes)

/**
 * The settings whose value is a point in time. Organizations have no defaults for them, because the time matters only
 * to one user.
 */
export const TIMED_SETTINGS = [
  'presence_hidden_until',
  'do_not_disturb_until',
] as const satisfies readonly UserSettingName[]

export const isTimedSetting = (name: string): name is (typeof TIMED_SETTINGS)[number] =>
  (TIMED_SETTINGS as readonly string[]).includes(name)

/** The names of the settings for which organizations can have defaults. */
export type DefaultSettingName = Exclude<UserSettingName, (typeof TIMED_SETTINGS)[number]>

export type UserSettingName = keyof Declarations

export type UserSettings = { [Name in UserSettingName]: z.infer<Declarations[Name]['type']> }

/** The settings of users who have not changed any, in an organization without its own defaults. */
export const userSettingDefaults = Object.freeze(
  Object.fromEntries(Object.entries(userSettingDeclarations).map(([name, { fallback }]) => [name, fallback])),
) as UserSettings

/** Returns all personal settings. Settings that were never changed have their defaults. */
export function readUserSettings(changed: string): UserSettings {
  return changed === '{}'
    ? userSettingDefaults
    : { ...userSettingDefaults, ...(JSON.parse(changed) as Partial<UserSettings>) }
}

/** The personal settings of new accounts in an organization that differ from the server's defaults. */
type DefaultSettings = Partial<UserSettings>

const settingsOfRealm = defineCache<number, DefaultSettings>({
  dependsOn: ['defaultUserSettings'],
  limit: 1000,
  load: readDefaultSettings,
})

export function findDefaultSettings(db: Db, realmId: number): DefaultSettings | Promise<DefaultSettings> {
  return settingsOfRealm.get(db, realmId)
}

/** Reads the organization's default settings from the database, bypassing the cache. */
export async function readDefaultSettings(db: Db, realmId: number): Promise<DefaultSettings> {
  const row = await db
    .selectFrom('defaultUserSettings')
    .select('settings')
    .where('realmId', '=', realmId)
    .executeTakeFirst()
  return row === undefined ? {} : (JSON.parse(row.settings) as DefaultSettings)
}

export async function saveDefaultSettings(tx: Transaction, realmId: number, given: DefaultSettings): Promise<void> {
  const settings = JSON.stringify(given)
  await tx
    .insertInto('defaultUserSettings')
    .values({ realmId, settings })
    .onConflict((on) => on.column('realmId').doUpdateSet({ settings }))
    .execute()
}

export const invalidTimezone = refusal(
  'BAD_REQUEST',
  400,
  'Invalid timezone: Value error, Not a recognized time zone',
  { field: 'timezone' },
)

/** Returns an IANA time zone in its canonical case; empty if none is given. Offsets such as `+01:00` are refused. */
export function requireTimezone(given: string): string {
  if (given === '') return ''
  const zone = findZone(given)
  if (zone === null) throw invalidTimezone()
  // An old name resolves to a new one, but clients expect the name that they sent.
  return zone.toLowerCase() === given.toLowerCase() ? zone : given
}

/** Returns the time zone that a browser reports, or `fallback` if it is unknown. */
export function timezoneOr(given: string, fallback: string): string {
  return findZone(given) ?? fallback
}

function findZone(name: string): string | null {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{1,49}$/.test(name)) return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return null
  }
}

/** The names of the sounds that clients can play. */
export const notificationSounds: readonly string[] = (
  'ascend, beep_boop, bink, bright, brlip, chime, deep tom, ding, double tap, down, dry bongos, dutdut, ' +
  'fast ascend, flute, friendly, kick roll, loud tintong, metallic snare, pan, practicechat, shaker, ' +
  'simple, stairs, subtle, swish, tintong, up, wood block, zaping, zing, zulip'
).split(', ')

export const NO_SOUND = 'none'

/** Returns the name of a language in this language: `Deutsch` for `de`. */
export function nativeLanguageName(code: string): string {
  return new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code
}

/**
 * The display and notification settings that have events of their own, for clients that do not support `user_settings`.
 * Newer settings are not among them.
 */
export const legacyDisplaySettings = [
  'color_scheme',
  'default_language',
  'demote_inactive_streams',
  'emojiset',
  'enable_drafts_synchronization',
  'enter_sends',
  'fluid_layout_width',
  'high_contrast_mode',
  'left_side_userlist',
  'receives_typing_notifications',
  'starred_message_counts',
  'timezone',
  'translate_emoticons',
  'twenty_four_hour_time',
  'web_home_view',
] as const satisfies readonly (UserSettingName | 'timezone')[]

export const legacyNotificationSettings = [
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
] as const satisfies readonly UserSettingName[]
