import { z } from 'zod'
import { invalidChannelId } from '#channels/access.ts'
import { findChannel } from '#channels/queries.ts'
import { requireGroupSetting } from '#groups/access.ts'
import { findRealmGroups } from '#groups/queries.ts'
import { PASSWORD_METHOD } from '#identity/providers.ts'
import { refusal } from '#lib/errors.ts'
import { domainJson } from '#realms/domains.ts'
import { findRealms, lockRealm } from '#realms/queries.ts'
import { type Realm, realmName } from '#realms/realm.ts'
import {
  channelIdSettings,
  type GroupSetting,
  groupSettingValue,
  isPermission,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmSettingDeclarations,
  systemGroupNames,
  unsupportedSettings,
} from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { replaceDomains } from './administration/domains.ts'
import {
  keepPasswords,
  type OrganizationChanges,
  saveOrganizationChanges,
} from './administration/save-organization-changes.ts'
import { deactivateOrganization, reactivateOrganization } from './deactivation.ts'

// Changes of an organization's settings, by administrators and by the operator of the server. A setting that names a
// channel is refused if the channel does not fit.

export const moderationChannelNotPrivate = refusal('BAD_REQUEST', 400, 'Moderation request channel must be private.', {
  field: 'moderation_request_channel_id',
})

const NO_CHANNEL = -1

/** Refuses settings that contain the id of a missing or unsuitable channel. */
export async function requireChannelSettings(db: Db, realmId: number, settings: Partial<RealmSettings>): Promise<void> {
  for (const name of channelIdSettings) {
    const id = settings[name]
    if (id === undefined || id === NO_CHANNEL) continue
    const channel = await findChannel(db, realmId, id)
    if (channel === null || channel.archivedAt !== null) throw invalidChannelId()
    if (name === 'moderation_request_channel_id' && !channel.isPrivate) throw moderationChannelNotPrivate()
  }
}

const unknownRealmSetting = refusal('BAD_REQUEST', 400, "There is no organization setting '{name}'.")
const badRealmSetting = refusal('BAD_REQUEST', 400, "Invalid value for the organization setting '{name}'.", {
  field: '{name}',
})

const permissionValue = z.union([groupSettingValue, z.enum(systemGroupNames)])

/** The fields that can be changed in addition to settings. */
const fieldTypes = {
  name: realmName,
  date_created: z.number().min(0),
  deactivated: z.boolean(),
  domains: z.array(domainJson.extend({ allow_subdomains: z.boolean().default(false) })),
}

/**
 * Changes an organization for the operator of the server. `given` contains settings by API name, and any of `name`,
 * `date_created` (in UNIX seconds), `deactivated` and `domains`, which replaces all domains. A permission is given as
 * the id of a group, the name of a system group, or members and subgroups. Emits the same events as other changes.
 * Unsupported settings are validated, but keep their defaults.
 */
export async function changeRealmSettings(
  tx: Transaction,
  { id }: Pick<Realm, 'id'>,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const realm = await lockRealm(tx, id)
  const { fields, isDeactivated, domains } = requireFields(given)
  const settings: Partial<Record<RealmSettingName, unknown>> = {}
  for (const [name, value] of Object.entries(given)) {
    if (Object.hasOwn(fieldTypes, name)) continue
    if (!Object.hasOwn(realmSettingDeclarations, name)) throw unknownRealmSetting({ name })
    const setting = name as RealmSettingName
    const checked = await requireSetting(tx, realm, setting, value)
    if (!unsupportedSettings.has(setting)) settings[setting] = checked
  }
  const changes = { ...fields, settings: settings as Partial<RealmSettings> }
  await requireChannelSettings(tx.db, realm.id, changes.settings)

  if (domains !== undefined) await replaceDomains(tx, realm.id, domains)
  await saveOrganizationChanges(tx, realm, changes)
  if (isDeactivated === true) await deactivateOrganization(tx, realm, null)
  if (isDeactivated === false) await reactivateOrganization(tx, realm)
}

/**
 * Keeps passwords on in each organization that has no other method, because the operator has removed it. Otherwise, a
 * provider that the operator adds later would turn them off.
 */
export async function keepPasswordsWithoutProviders(tx: Transaction): Promise<void> {
  for (const { id, settings } of await findRealms(tx.db))
    if (settings.authentication_methods[PASSWORD_METHOD] === false) await keepPasswords(tx, await lockRealm(tx, id))
}

function requireFields(given: Readonly<Record<string, unknown>>) {
  const find = <Name extends keyof typeof fieldTypes>(name: Name): z.infer<(typeof fieldTypes)[Name]> | undefined => {
    if (given[name] === undefined) return undefined
    const parsed = fieldTypes[name].safeParse(given[name])
    if (!parsed.success) throw badRealmSetting({ name })
    return parsed.data as z.infer<(typeof fieldTypes)[Name]>
  }
  const [name, createdAt, isDeactivated] = [find('name'), find('date_created'), find('deactivated')]
  const fields: Omit<OrganizationChanges, 'settings'> = {
    ...(name !== undefined && { name }),
    ...(createdAt !== undefined && { createdAt }),
  }
  return { fields, isDeactivated, domains: find('domains') }
}

async function requireSetting(tx: Transaction, realm: Realm, name: RealmSettingName, value: unknown): Promise<unknown> {
  if (isPermission(name)) return requirePermission(tx, realm, name, value)
  const declaration = realmSettingDeclarations[name]
  const parsed = declaration.type.safeParse(value)
  if (!parsed.success) throw badRealmSetting({ name })
  return parsed.data
}

async function requirePermission(
  tx: Transaction,
  realm: Realm,
  name: RealmPermissionName,
  value: unknown,
): Promise<GroupSetting> {
  const parsed = permissionValue.safeParse(value)
  if (!parsed.success) throw badRealmSetting({ name })
  const { systemId } = await findRealmGroups(tx.db, realm.id)
  const group = typeof parsed.data === 'string' ? systemId[parsed.data] : parsed.data
  const rule = { setting: name, excludes: realmSettingDeclarations[name].excludes }
  return requireGroupSetting(tx.db, { realmId: realm.id }, group, rule)
}
