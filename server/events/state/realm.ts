import { z } from 'zod'
import { toGroupSettingJson } from '#groups/membership.ts'
import { alwaysNull } from '#lib/encoding/always-null.ts'
import { defaultExternalAccounts, externalAccountJson } from '#people/profiles/external-accounts.ts'
import { groupSettingValue } from '#realms/group-setting.ts'
import { realmAddress, realmPictureSource, realmPictureUrl } from '#realms/realm.ts'
import {
  callProviders,
  isPermission,
  ownSettings,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmSettingDeclarations,
  realmSettingNames,
  settingsHiddenFromClients,
} from '#realms/settings.ts'
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
    realm_push_notifications_enabled: z.boolean(),
    realm_push_notifications_enabled_end_timestamp: alwaysNull('integer'),
    demo_organization_scheduled_deletion_date: z
      .int()
      .optional()
      .describe('Only for demo organizations, which this server does not have.'),
    realm_is_zephyr_mirror_realm: z.boolean(),
    realm_upload_quota_mib: z.int().nullable().describe('Null when there is no limit.'),
    realm_plan_type: z.int(),
    realm_available_video_chat_providers: z.record(z.string(), z.strictObject({ id: z.int(), name: z.string() })),
    realm_default_external_accounts: z.record(z.string(), externalAccountJson),
  },
  fetch({ db, actor: { realm } }) {
    const { url, hostName } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
    return {
      realm_name: realm.name,
      realm_date_created: Math.floor(realm.createdAt),
      realm_url: url,
      realm_uri: url,
      realm_bot_domain: hostName,
      realm_icon_url: realmPictureUrl(realm, 'icon'),
      realm_icon_source: realmPictureSource(realm, 'icon'),
      realm_logo_url: realmPictureUrl(realm, 'logo'),
      realm_logo_source: realmPictureSource(realm, 'logo'),
      realm_night_logo_url: realmPictureUrl(realm, 'night_logo'),
      realm_night_logo_source: realmPictureSource(realm, 'night_logo'),
      realm_upload_quota_mib: db.settings.UPLOAD_QUOTA_MIB || null,
      ...sameForAll,
    }
  },
})

const SELF_HOSTED = 1

const sameForAll = {
  realm_authentication_methods: { Email: { enabled: true, available: true } },
  realm_email_auth_enabled: true,
  realm_password_auth_enabled: true,
  realm_push_notifications_enabled: false,
  realm_push_notifications_enabled_end_timestamp: null,
  realm_is_zephyr_mirror_realm: false,
  realm_plan_type: SELF_HOSTED,
  realm_available_video_chat_providers: {
    disabled: { id: callProviders.none, name: 'None' },
    jitsi_meet: { id: callProviders.jitsi, name: 'Jitsi Meet' },
  },
  realm_default_external_accounts: defaultExternalAccounts,
}
