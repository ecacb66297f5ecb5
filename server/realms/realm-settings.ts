import { z } from 'zod'
import { ownField, ownFieldNames } from '#lib/protocol.ts'
import { t, trimWhitespace } from '#lib/text.ts'
import { OWNER_ONLY_SETTINGS, secondFactorRequirements } from '#rules/role.ts'
import { CALL_SERVER_ADDRESS, MAX_CALL_SERVER_LENGTH, MAX_LENGTH } from '#rules/shared-limits.ts'
import { toStorableText } from '#storage/sql.ts'
import { UNLIMITED } from './message-retention.ts'

// The settings of an organization: one declaration lists each with its type, default and permitted values. Who may
// change a setting, which clients receive it, and which ones this server does not support derive from lists of names
// that the compiler checks against it.

export type SystemGroupName = (typeof systemGroupNames)[number]

/** The names of the eight groups whose members are determined by role. */
export const systemGroupNames = [
  'role:internet',
  'role:owners',
  'role:administrators',
  'role:moderators',
  'role:fullmembers',
  'role:members',
  'role:everyone',
  'role:nobody',
] as const

/** A group without a name, which exists only as the value of one setting. */
export type AnonymousGroup = { direct_members: number[]; direct_subgroups: number[] }

/**
 * The users who have a permission: a system group by name, any group by id, or an anonymous group. Defaults use names
 * of system groups.
 */
export type GroupSetting = SystemGroupName | number | AnonymousGroup

/** The value of a group setting as clients send it: the id of a group, or members and subgroups. */
export const groupSettingValue = z.union([
  z.int(),
  z.object({ direct_members: z.array(z.int()), direct_subgroups: z.array(z.int()) }),
])

/**
 * A change of a group setting: the new value and, optionally, the old one. The change is refused if the old value is no
 * longer current.
 */
export const groupSettingUpdate = z.object({ new: groupSettingValue, old: groupSettingValue.optional() })

export type GroupSettingUpdate = z.infer<typeof groupSettingUpdate>

/** The languages that users can select. The official clients are translated into them. */
const languages = new Set(
  (
    'ar be bg bn bqi ca cs cy da de el en en-gb eo es et fa fi fr gl gu hi hu id it ja kk ko lt lv ml mn my nl no pl pt ' +
    'pt-br pt-pt ro ru si sl sr sv ta tl tr uk vi zh-hans zh-hant zh-tw'
  ).split(' '),
)

export const isLanguage = (code: string): boolean => languages.has(code)

/** The policies for the visibility of the edit history: all changes, only moves, or nothing. */
export const historyPolicies = ['all', 'moves', 'none'] as const

/** The types of organizations, with their numbers in the API. */
export const organizationTypes = {
  unspecified: 0,
  business: 10,
  open_source: 20,
  education_nonprofit: 30,
  education: 35,
  research: 40,
  event: 50,
  nonprofit: 60,
  government: 70,
  political_group: 80,
  community: 90,
  personal: 100,
  other: 1000,
} as const

export const organizationTypeNames = Object.keys(organizationTypes) as (keyof typeof organizationTypes)[]

/** The name of each type of organization, as lists show it. */
export const organizationTypeLabels: Readonly<Record<keyof typeof organizationTypes, string>> = {
  unspecified: t('Not specified'),
  business: t('Business'),
  open_source: t('Open-source project'),
  education_nonprofit: t('Education (non-profit)'),
  education: t('Education (for-profit)'),
  research: t('Research'),
  event: t('Event or conference'),
  nonprofit: t('Non-profit (registered)'),
  government: t('Government'),
  political_group: t('Political group'),
  community: t('Community'),
  personal: t('Personal'),
  other: t('Other'),
}

/** Returns the name of the organization's type; null if no type was chosen. */
export function organizationTypeOf({ org_type }: Pick<RealmSettings, 'org_type'>): string | null {
  const found = organizationTypeNames.find((name) => organizationTypes[name] === org_type)
  return found === undefined || found === 'unspecified' ? null : organizationTypeLabels[found]
}

/** Excludes the group that includes people without an account. */
export const excludesInternet: readonly SystemGroupName[] = ['role:internet']

/** Also excludes the group that includes guests. */
export const excludesGuests: readonly SystemGroupName[] = ['role:internet', 'role:everyone']

/** Also excludes the group without members, so that at least one user has the permission. */
const excludesGuestsAndNobody: readonly SystemGroupName[] = [...excludesGuests, 'role:nobody']

const excludesBelowModerators: readonly SystemGroupName[] = [...excludesGuests, 'role:members', 'role:fullmembers']

/**
 * Declares a permission, and the system groups that cannot be its value. If `role:everyone` is excluded, guests never
 * have the permission, whatever groups they are in.
 */
const permission = (fallback: SystemGroupName, excludes: readonly SystemGroupName[]) =>
  ({ kind: 'permission', fallback, excludes }) as const

/** Declares any other setting. Instead of a value, clients may send the key that it has in `aliases`. */
const value = <Type extends z.ZodType>(
  type: Type,
  fallback: z.infer<Type>,
  aliases: Readonly<Record<string, z.infer<Type>>> = {},
) => ({ kind: 'value', type, fallback, aliases }) as const

/** Declares a limit in seconds, or null for no limit. */
const secondsOrUnlimited = (fallback: number) => value(z.int().positive().nullable(), fallback, { unlimited: null })

/** Declares a time limit of sessions in minutes, at most `days`, or null for this maximum. */
const sessionMinutes = (days: number) =>
  z
    .int()
    .min(5)
    .max(days * 24 * 60)
    .nullable()

/** The providers of calls, with their numbers in the API. With `none`, clients hide the buttons that start a call. */
export const callProviders = { none: 0, jitsi: 1, zoom: 3, bigBlueButton: 4 } as const

/** The ratings up to which GIFs are found, with their numbers in the API. With `disabled`, clients offer no GIFs. */
export const gifRatings = { disabled: 0, y: 1, g: 2, pg: 3, 'pg-13': 4, r: 5 } as const

const oneOf = (values: Readonly<Record<string, number>>) =>
  z.int().refine((given) => Object.values(values).includes(given))

const callServerUrl = z
  .string()
  .max(MAX_CALL_SERVER_LENGTH)
  .regex(CALL_SERVER_ADDRESS, 'It must be an address that begins with https://')

/**
 * Declares text of at most `limit` code points. Parsing converts the text to the form in which databases store it, so
 * that it can be compared with stored text.
 */
export const limitedText = (limit: number, type: z.ZodString = z.string()) =>
  type
    .overwrite(toStorableText)
    .check(({ value: given, issues }) => {
      if (Array.from(given).length <= limit) return
      issues.push({ code: 'too_big', origin: 'string', maximum: limit, inclusive: true, input: given })
    })
    .meta({ maxLength: limit })

/** Declares text like `limitedText`, and removes white space around it. */
export const trimmedText = (limit: number) => limitedText(limit, z.string().overwrite(trimWhitespace))

/** Declares text like `limitedText` that must contain something besides white space, which is removed around it. */
export const filledText = (limit: number) => limitedText(limit, z.string().trim().min(1))

/**
 * The settings of an organization by API name, with their defaults. Most defaults are those of the reference server.
 * `register` adds the prefix `realm_` to the names.
 */
export const realmSettingDeclarations = {
  description: value(limitedText(MAX_LENGTH.realmDescription), ''),
  org_type: value(oneOf(organizationTypes), organizationTypes.unspecified),
  default_language: value(limitedText(50), 'en'),
  default_code_block_language: value(limitedText(50), ''),
  /** False for methods to sign in that are turned off, by their names in the API. Methods that are not listed are on. */
  authentication_methods: value(z.record(z.string().max(60), z.boolean()), {}),
  invite_required: value(z.boolean(), true),
  emails_restricted_to_domains: value(z.boolean(), false),
  disallow_disposable_email_addresses: value(z.boolean(), true),
  waiting_period_threshold: value(z.int().min(0), 0),
  message_edit_history_visibility_policy: value(z.enum(historyPolicies), 'all'),
  allow_message_editing: value(z.boolean(), true),
  message_content_edit_limit_seconds: secondsOrUnlimited(600),
  message_content_delete_limit_seconds: secondsOrUnlimited(600),
  move_messages_within_stream_limit_seconds: secondsOrUnlimited(604800),
  move_messages_between_streams_limit_seconds: secondsOrUnlimited(604800),
  mandatory_topics: value(z.boolean(), false),
  message_retention_days: value(z.union([z.int().positive(), z.literal(UNLIMITED)]), UNLIMITED, {
    unlimited: UNLIMITED,
  }),
  inline_image_preview: value(z.boolean(), true),
  inline_url_embed_preview: value(z.boolean(), false),
  name_changes_disabled: value(z.boolean(), false),
  email_changes_disabled: value(z.boolean(), false),
  avatar_changes_disabled: value(z.boolean(), false),
  require_unique_names: value(z.boolean(), false),
  enable_read_receipts: value(z.boolean(), true),
  enable_spectator_access: value(z.boolean(), false),
  enable_guest_user_indicator: value(z.boolean(), true),
  enable_guest_user_dm_warning: value(z.boolean(), true),
  send_welcome_emails: value(z.boolean(), false),
  message_content_allowed_in_email_notifications: value(z.boolean(), true),
  digest_emails_enabled: value(z.boolean(), false),
  digest_weekday: value(z.int().min(0).max(6), 1),
  video_chat_provider: value(oneOf(callProviders), callProviders.jitsi),
  /** The URL of the Jitsi server for calls; null for the installation's Jitsi server. */
  jitsi_server_url: value(callServerUrl.nullable(), null, { default: null }),
  giphy_rating: value(oneOf(gifRatings), gifRatings.g),
  want_advertise_in_communities_directory: value(z.boolean(), false),
  new_stream_announcements_stream_id: value(z.int(), -1),
  signup_announcements_stream_id: value(z.int(), -1),
  moderation_request_channel_id: value(z.int(), -1),
  zulip_update_announcements_stream_id: value(z.int(), -1),
  /** Hides the presence of all users. */
  presence_disabled: value(z.boolean(), false),
  /**
   * The maximum number of invitations that the organization can email on two consecutive days (UTC). It applies only
   * with OPEN_REALM_CREATION.
   */
  max_invites: value(z.int().min(0), 100),
  /** The maximum number of active accounts of people who are not guests; null for no limit. */
  license_limit: value(z.int().min(0).nullable(), null),
  /** The number of days for which entries of the audit log are kept. */
  audit_log_retention_days: value(ownField(z.union([z.int().positive(), z.literal(UNLIMITED)])), 730, {
    unlimited: UNLIMITED,
  }),
  /** Sends a direct message to users who are removed from a channel. */
  send_channel_removal_notices: value(ownField(z.boolean()), true),
  /** Lets search engines list the pages of web-public channels. */
  allow_search_engines: value(ownField(z.boolean()), false),
  /** The minutes without use after which browsers are logged out; null for 30 days. */
  session_idle_minutes: value(ownField(sessionMinutes(30)), null),
  /** The minutes after the login after which browsers are logged out; null for 180 days. */
  session_lifetime_minutes: value(ownField(sessionMinutes(180)), null),
  /** The people who must have a second factor. Administrators include owners, and everyone includes guests. */
  second_factor_required_for: value(ownField(z.enum(secondFactorRequirements)), 'nobody'),
  /** The days after which those who must have a second factor cannot use their account without one. */
  second_factor_grace_days: value(ownField(z.int().min(0).max(30)), 7),

  can_access_all_users_group: permission('role:everyone', excludesInternet),
  can_add_custom_emoji_group: permission('role:members', excludesGuests),
  can_add_subscribers_group: permission('role:members', excludesGuests),
  can_create_bots_group: permission('role:members', excludesGuests),
  can_create_groups: permission('role:members', excludesGuests),
  can_create_public_channel_group: permission('role:members', excludesGuests),
  can_create_private_channel_group: permission('role:members', excludesGuests),
  can_create_web_public_channel_group: permission('role:owners', excludesBelowModerators),
  can_create_write_only_bots_group: permission('role:members', excludesGuests),
  can_delete_any_message_group: permission('role:administrators', excludesGuests),
  can_delete_own_message_group: permission('role:everyone', excludesInternet),
  can_invite_users_group: permission('role:members', excludesGuests),
  can_manage_all_groups: permission('role:owners', excludesGuestsAndNobody),
  can_manage_billing_group: permission('role:administrators', excludesGuestsAndNobody),
  can_mention_many_users_group: permission('role:administrators', excludesInternet),
  can_move_messages_between_channels_group: permission('role:members', excludesGuests),
  can_move_messages_between_topics_group: permission('role:everyone', excludesInternet),
  can_resolve_topics_group: permission('role:everyone', excludesInternet),
  can_summarize_topics_group: permission('role:everyone', excludesInternet),
  create_multiuse_invite_group: permission('role:administrators', excludesGuests),
  direct_message_initiator_group: permission('role:everyone', excludesInternet),
  direct_message_permission_group: permission('role:everyone', excludesInternet),
} as const

type Declarations = typeof realmSettingDeclarations

export type RealmSettingName = keyof Declarations

export const realmSettingNames = Object.keys(realmSettingDeclarations) as RealmSettingName[]

/** The settings whose value is the id of a channel, or -1 for none. */
export const channelIdSettings = [
  'new_stream_announcements_stream_id',
  'signup_announcements_stream_id',
  'moderation_request_channel_id',
  'zulip_update_announcements_stream_id',
] as const satisfies readonly RealmSettingName[]

export const ownerOnlySettings: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>(OWNER_ONLY_SETTINGS)

/**
 * The settings of features that this server does not have. They always have their defaults, with which the features are
 * off. `PATCH /realm` lists them as ignored.
 */
export const unsupportedSettings: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'can_manage_billing_group',
  'can_summarize_topics_group',
  'default_language',
  'want_advertise_in_communities_directory',
  'zulip_update_announcements_stream_id',
])

/** The settings that only the operator of the server can change. */
export const operatorOnlySettings: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'license_limit',
  'max_invites',
])

/** The settings that administrators can change with `PATCH /realm`. */
export const changeableSettings: readonly RealmSettingName[] = realmSettingNames.filter(
  (name) => !operatorOnlySettings.has(name) && !unsupportedSettings.has(name),
)

/**
 * The settings that clients do not receive, because they concern only the operator of the server, or because clients
 * receive them in another form (`authentication_methods`).
 */
export const settingsHiddenFromClients: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'authentication_methods',
  'license_limit',
  'max_invites',
])

/** The settings that only this server has. Only clients with the capability `parley_extensions` receive them. */
export const ownSettings: ReadonlySet<string> = ownFieldNames(
  Object.fromEntries(
    Object.entries(realmSettingDeclarations).map(([name, one]) => [name, one.kind === 'value' ? one.type : one]),
  ),
)

export type RealmSettings = {
  [Name in RealmSettingName]: Declarations[Name] extends { kind: 'value'; type: infer Type extends z.ZodType }
    ? z.infer<Type>
    : GroupSetting
}

/** The names of the settings that are permissions. */
export type RealmPermissionName = {
  [Name in RealmSettingName]: Declarations[Name]['kind'] extends 'permission' ? Name : never
}[RealmSettingName]

export const realmPermissionNames = realmSettingNames.filter(isPermission)

export function isPermission(name: RealmSettingName): name is RealmPermissionName {
  return realmSettingDeclarations[name].kind === 'permission'
}

const defaults = Object.freeze(
  Object.fromEntries(Object.entries(realmSettingDeclarations).map(([name, { fallback }]) => [name, fallback])),
) as RealmSettings

const unsupportedDefaults = Object.freeze(
  Object.fromEntries(Array.from(unsupportedSettings, (name) => [name, realmSettingDeclarations[name].fallback])),
) as Partial<RealmSettings>

/**
 * Returns all settings of an organization. Settings that were never changed, and unsupported ones, have their defaults.
 */
export function readRealmSettings(changed: string): RealmSettings {
  return changed === '{}'
    ? defaults
    : { ...defaults, ...(JSON.parse(changed) as Partial<RealmSettings>), ...unsupportedDefaults }
}
