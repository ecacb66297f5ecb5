import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { emitFullMemberChange, trackAccessChanges } from '#accounts/access-events.ts'
import { equalSettings, type RealmGroups, toGroupSettingJson } from '#groups/group.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { findSignInMethods, PASSWORD_METHOD, realmMethodsJson } from '#identity/providers.ts'
import { recordAudit } from '#people/audit.ts'
import { beginSecondFactorGrace } from '#people/second-factors.ts'
import { limitOpenSessions } from '#people/sessions.ts'
import { findActiveUserIds } from '#people/user-queries.ts'
import { saveRealmFields, saveRealmSettings } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import {
  isPermission,
  type RealmSettingName,
  type RealmSettings,
  realmSettingNames,
  settingsHiddenFromClients,
} from '#realms/realm-settings.ts'
import type { EmittedOfType, Transaction } from '#storage/storage.ts'

type Json = z.infer<ReturnType<typeof z.json>>

/** Validated changes to an organization. Missing fields stay unchanged. */
export type OrganizationChanges = Partial<Pick<Realm, 'name' | 'createdAt'>> & {
  settings: Partial<RealmSettings>
}

/** An event about an organization itself. */
export type OrganizationEvent = EmittedOfType<
  | 'realm'
  | 'realm_domains'
  | 'realm_emoji'
  | 'realm_linkifiers'
  | 'realm_playgrounds'
  | 'realm_user_settings_defaults'
  | 'custom_profile_fields'
>

/** Emits events to all active users of the organization. */
export async function emitOrganizationEvents(
  tx: Transaction,
  realmId: number,
  events: readonly OrganizationEvent[],
): Promise<void> {
  if (events.length === 0) return
  const userIds = await findActiveUserIds(tx.db, realmId)
  for (const event of events) tx.emit(realmId, event, userIds)
}

/** Saves and emits the values that differ from those of `realm`. Returns the settings that differ. */
export async function saveOrganizationChanges(
  tx: Transaction,
  realm: Realm,
  { settings: given, ...fields }: OrganizationChanges,
): Promise<Partial<RealmSettings>> {
  const settings = await withPasswordsKept(tx, realm, given)
  const changed = realmSettingNames.filter((name) => isDifferent(realm.settings, settings, name))
  const decidesAccess = changed.some((name) => visibilitySettings.has(name))
  const emitAccessChanges = decidesAccess ? await trackAccessChanges(tx, realm) : null
  if (Object.keys(fields).length > 0) await saveRealmFields(tx, realm.id, fields)
  const different: Partial<RealmSettings> = Object.fromEntries(changed.map((name) => [name, settings[name]]))
  if (changed.length > 0) await saveRealmSettings(tx, realm.id, different)
  await recordChanges(tx, realm, fields, different)

  const groups = await findRealmGroups(tx.db, realm.id)
  const visible = changed.filter((name) => !settingsHiddenFromClients.has(name))
  const values = visible.map((name) => [name, toSettingJson(groups, name, settings)] as const)
  await emitOrganizationEvents(tx, realm.id, [...fieldEvents(realm, fields), ...settingEvents(values)])
  const changedRealm = { ...realm, settings: { ...realm.settings, ...different } }
  if (different.authentication_methods !== undefined) await emitSignInMethods(tx, changedRealm)
  await emitFullMemberChange(tx, realm, changedRealm)
  if (changed.some((name) => SESSION_LIMITS.has(name))) await limitOpenSessions(tx, realm.id, changedRealm.settings)
  if (different.second_factor_required_for !== undefined) await beginSecondFactorGrace(tx, changedRealm)
  await emitAccessChanges?.(changedRealm)
  return different
}

/**
 * Returns the settings with passwords turned on if they work only because there is no other method. Otherwise, the next
 * provider would turn them off before anyone has tried it.
 */
async function withPasswordsKept(
  { db }: Transaction,
  realm: Realm,
  given: Partial<RealmSettings>,
): Promise<Partial<RealmSettings>> {
  const { authentication_methods: chosen } = given
  if (chosen === undefined || chosen[PASSWORD_METHOD] !== false) return given
  const { isPasswordEnabled } = await findSignInMethods(db, { ...realm, settings: { authentication_methods: chosen } })
  return isPasswordEnabled ? { ...given, authentication_methods: { ...chosen, [PASSWORD_METHOD]: true } } : given
}

/** Turns passwords on if they work only because there is no other method. Returns the organization as it is then. */
export async function keepPasswords(tx: Transaction, realm: Realm): Promise<Realm> {
  const { authentication_methods } = realm.settings
  const changed = await saveOrganizationChanges(tx, realm, { settings: { authentication_methods } })
  return { ...realm, settings: { ...realm.settings, ...changed } }
}

async function recordChanges(
  tx: Transaction,
  realm: Realm,
  { name, createdAt }: Omit<OrganizationChanges, 'settings'>,
  settings: Partial<RealmSettings>,
): Promise<void> {
  const record = (setting: string, from: unknown, to: unknown) =>
    recordAudit(tx, realm.id, 'organization_changed', { setting, from: from as Json, to: to as Json })
  if (name !== undefined && name !== realm.name) await record('name', realm.name, name)
  if (createdAt !== undefined && createdAt !== realm.createdAt) await record('date_created', realm.createdAt, createdAt)
  for (const [setting, to] of Object.entries(settings))
    await record(setting, realm.settings[setting as RealmSettingName], to)
}

const SESSION_LIMITS: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'session_idle_minutes',
  'session_lifetime_minutes',
])

/** Emits the methods to sign in, which depend on the providers as well. */
export async function emitSignInMethods(tx: Transaction, realm: Realm): Promise<void> {
  const data = { authentication_methods: realmMethodsJson(await findSignInMethods(tx.db, realm)) }
  await emitOrganizationEvents(tx, realm.id, [{ type: 'realm', op: 'update_dict', property: 'default', data }])
}

/** The settings that decide which users, channels or messages a user may see. */
const visibilitySettings: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'can_access_all_users_group',
  'waiting_period_threshold',
])

function isDifferent(current: RealmSettings, given: Partial<RealmSettings>, name: RealmSettingName): boolean {
  if (given[name] === undefined) return false
  if (isPermission(name)) return !equalSettings(given[name], current[name])
  return !isDeepStrictEqual(given[name], current[name])
}

function toSettingJson(groups: RealmGroups, name: RealmSettingName, settings: Partial<RealmSettings>): unknown {
  if (!isPermission(name)) return settings[name]
  const setting = settings[name]
  return setting === undefined ? undefined : toGroupSettingJson(groups, setting)
}

function fieldEvents(realm: Realm, { name }: Omit<OrganizationChanges, 'settings'>): OrganizationEvent[] {
  if (name === undefined || name === realm.name) return []
  return [{ type: 'realm', op: 'update', property: 'name', value: name }]
}

/** The settings that clients expect together in one event, as they do for permissions. */
const bundledSettings: ReadonlySet<RealmSettingName> = new Set<RealmSettingName>([
  'allow_message_editing',
  'message_content_edit_limit_seconds',
])

function settingEvents(values: readonly (readonly [RealmSettingName, unknown])[]): OrganizationEvent[] {
  const [together, alone] = [
    values.filter(([name]) => bundledSettings.has(name) || isPermission(name)),
    values.filter(([name]) => !bundledSettings.has(name) && !isPermission(name)),
  ]
  const events: OrganizationEvent[] = alone.map(([property, value]) => ({
    type: 'realm',
    op: 'update',
    property,
    value,
  }))
  if (together.length > 0)
    events.push({ type: 'realm', op: 'update_dict', property: 'default', data: Object.fromEntries(together) })
  return events
}
