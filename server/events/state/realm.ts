import { z } from 'zod'
import { groupJson, toGroupSettingJson } from '#groups/group.ts'
import { listGroups } from '#groups/members.ts'
import { findSignInMethods, realmMethodsJson, takesPasswords } from '#identity/providers.ts'
import { alwaysNull } from '#lib/protocol.ts'
import {
  defaultExternalAccounts,
  externalAccountJson,
  FieldType,
  findProfileFields,
  profileFieldJson,
  toProfileFieldJson,
} from '#people/profile-fields.ts'
import { domainJson, findRealmDomains, toDomainJson } from '#realms/domains.ts'
import { emojiJson, findRealmEmoji, toEmojiJson } from '#realms/emoji.ts'
import { findLinkifiers, linkifierJson, toLinkifierJson } from '#realms/linkifiers.ts'
import { findPlaygrounds, playgroundJson, toPlaygroundJson } from '#realms/playgrounds.ts'
import { realmAddress, realmPictureSource, realmPictureUrl } from '#realms/realm.ts'
import {
  groupSettingValue,
  isPermission,
  ownSettings,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmSettingDeclarations,
  realmSettingNames,
  settingsHiddenFromClients,
} from '#realms/realm-settings.ts'
import { type StateScope, type StateSlice, stateSlice } from './slice.ts'

const sentSettings = realmSettingNames.filter((name) => !settingsHiddenFromClients.has(name))
const referenceSettings = sentSettings.filter((name) => !ownSettings.has(name))

function typeOf(name: RealmSettingName): z.ZodType {
  const declaration = realmSettingDeclarations[name]
  return declaration.kind === 'permission' ? groupSettingValue : declaration.type
}

type SettingFields = {
  [Name in RealmSettingName as `realm_${Name}`]: Name extends RealmPermissionName
    ? typeof groupSettingValue
    : z.ZodType<RealmSettings[Name], RealmSettings[Name]>
}

/** The settings of the organization, with `realm_` before each name. */
export const realmSettingsSlice: StateSlice<readonly ['realm'], SettingFields> = {
  types: ['realm'],
  returns: Object.fromEntries(sentSettings.map((name) => [`realm_${name}`, typeOf(name)])) as SettingFields,
  fetch(scope) {
    const names = scope.form.takesExtensions ? sentSettings : referenceSettings
    return Object.fromEntries(names.map((name) => [`realm_${name}`, toSettingJson(scope, name)]))
  },
}

function toSettingJson({ actor, membership }: StateScope, name: RealmSettingName): unknown {
  const { settings } = actor.realm
  return isPermission(name) ? toGroupSettingJson(membership.groups, settings[name]) : settings[name]
}

const authenticationMethod = z.strictObject({ enabled: z.boolean(), available: z.boolean() })

/** The properties of an organization besides its settings. */
export const realmSlice = stateSlice({
  types: ['realm'],
  returns: {
    realm_name: z.string(),
    realm_date_created: z.int(),
    realm_url: z.string(),
    realm_uri: z.string().describe('The older name of realm_url.'),
    realm_bot_domain: z.string().describe('The domain of the email addresses of bots.'),
    realm_icon_url: z.string(),
    realm_icon_source: z.enum(['G', 'U']),
    realm_logo_url: z.string(),
    realm_logo_source: z.enum(['D', 'U']),
    realm_night_logo_url: z.string(),
    realm_night_logo_source: z.enum(['D', 'U']),
    realm_authentication_methods: z.record(z.string(), authenticationMethod),
    realm_email_auth_enabled: z.boolean(),
    realm_password_auth_enabled: z.boolean(),
    realm_push_notifications_enabled_end_timestamp: alwaysNull('integer'),
    demo_organization_scheduled_deletion_date: z
      .int()
      .optional()
      .describe('Only for demo organizations: when the organization is deactivated. Its data is kept.'),
    realm_is_zephyr_mirror_realm: z.boolean(),
    realm_plan_type: z.int(),
    realm_default_external_accounts: z.record(z.string(), externalAccountJson),
  },
  async fetch({ db, actor: { realm } }) {
    const methods = await findSignInMethods(db, realm)
    const { url, hostName } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
    return {
      realm_name: realm.name,
      realm_date_created: Math.floor(realm.createdAt),
      ...(realm.demoEndsAt !== null && {
        demo_organization_scheduled_deletion_date: Math.floor(realm.demoEndsAt),
      }),
      realm_url: url,
      realm_uri: url,
      realm_bot_domain: hostName,
      realm_icon_url: realmPictureUrl(realm, 'icon'),
      realm_icon_source: realmPictureSource(realm, 'icon'),
      realm_logo_url: realmPictureUrl(realm, 'logo'),
      realm_logo_source: realmPictureSource(realm, 'logo'),
      realm_night_logo_url: realmPictureUrl(realm, 'night_logo'),
      realm_night_logo_source: realmPictureSource(realm, 'night_logo'),
      realm_authentication_methods: realmMethodsJson(methods),
      realm_email_auth_enabled: methods.isPasswordEnabled,
      realm_password_auth_enabled: takesPasswords(methods),
      ...sameForAll,
    }
  },
})

const SELF_HOSTED = 1

const sameForAll = {
  realm_push_notifications_enabled_end_timestamp: null,
  realm_is_zephyr_mirror_realm: false,
  realm_plan_type: SELF_HOSTED,
  realm_default_external_accounts: defaultExternalAccounts,
}

export const groupSlice = stateSlice({
  types: ['realm_user_groups'],
  returns: { realm_user_groups: z.array(groupJson) },
  async fetch({ db, actor, now, form }) {
    const options = { includesDeactivated: form.includesDeactivatedGroups }
    return { realm_user_groups: await listGroups(db, actor, now, options) }
  },
})

export const emojiSlice = stateSlice({
  types: ['realm_emoji'],
  returns: { realm_emoji: z.record(z.string(), emojiJson) },
  async fetch({ db, actor }) {
    return { realm_emoji: toEmojiJson(await findRealmEmoji(db, actor.realmId)) }
  },
})

export const linkifierSlice = stateSlice({
  types: ['realm_linkifiers'],
  returns: {
    realm_linkifiers: z.array(linkifierJson).describe('Empty for clients that do not support URL templates.'),
  },
  async fetch({ db, actor, form }) {
    const { rules } = await findLinkifiers(db, actor.realmId)
    return { realm_linkifiers: form.takesLinkifierTemplates ? rules.map(toLinkifierJson) : [] }
  },
})

export const domainSlice = stateSlice({
  types: ['realm_domains'],
  returns: { realm_domains: z.array(domainJson) },
  async fetch({ db, actor }) {
    return { realm_domains: (await findRealmDomains(db, actor.realmId)).map(toDomainJson) }
  },
})

export const playgroundSlice = stateSlice({
  types: ['realm_playgrounds'],
  returns: { realm_playgrounds: z.array(playgroundJson) },
  async fetch({ db, actor }) {
    return { realm_playgrounds: (await findPlaygrounds(db, actor.realmId)).map(toPlaygroundJson) }
  },
})

/** The field types that administrators choose from. */
const fieldTypes = {
  SHORT_TEXT: { id: FieldType.shortText, name: 'Text (short)' },
  LONG_TEXT: { id: FieldType.longText, name: 'Text (long)' },
  SELECT: { id: FieldType.choice, name: 'List of options' },
  DATE: { id: FieldType.date, name: 'Date' },
  URL: { id: FieldType.link, name: 'Link' },
  USER: { id: FieldType.people, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: FieldType.externalAccount, name: 'External account' },
  PRONOUNS: { id: FieldType.pronouns, name: 'Pronouns' },
}

export const profileFieldSlice = stateSlice({
  types: ['custom_profile_fields'],
  returns: {
    custom_profile_fields: z.array(profileFieldJson),
    custom_profile_field_types: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
  },
  async fetch({ db, actor }) {
    return {
      custom_profile_fields: (await findProfileFields(db, actor.realmId)).map(toProfileFieldJson),
      custom_profile_field_types: fieldTypes,
    }
  },
})
