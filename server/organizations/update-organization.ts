import { requireChangedGroupSetting } from '#groups/setting-values.ts'
import { requireAdministrator, requireOwner } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import type { GroupSettingUpdate } from '#realms/group-setting.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import {
  ownerOnlySettings,
  type RealmPermissionName,
  type RealmSettingName,
  type RealmSettings,
  realmPermissionNames,
  realmSettingDeclarations,
  realmSettingNames,
} from '#realms/settings.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireChannelSettings } from './channel-settings.ts'
import { saveOrganizationChanges } from './save-organization-changes.ts'

/** The requested changes by API name. Undefined fields stay unchanged. */
export type OrganizationUpdate = { name?: string | undefined } & {
  [Name in RealmSettingName]?:
    | (Name extends RealmPermissionName ? GroupSettingUpdate : RealmSettings[Name] | string)
    | undefined
}

/** Changes the organization. If any change is refused, nothing changes. Returns the changed settings. */
export async function updateOrganization(
  tx: Transaction,
  actor: Actor,
  update: OrganizationUpdate,
): Promise<Partial<RealmSettings>> {
  requireAdministrator(actor)
  if (realmSettingNames.some((name) => update[name] !== undefined && ownerOnlySettings.has(name))) requireOwner(actor)
  const realm = await lockRealm(tx, actor.realmId)
  const settings = { ...valuesOf(update), ...(await requirePermissions(tx, realm, update)) }
  await requireChannelSettings(tx.db, realm.id, settings)
  return saveOrganizationChanges(tx, realm, { ...(update.name !== undefined && { name: update.name }), settings })
}

/** Deactivates the organization, so that users can no longer log in. */
export async function deactivateOrganization(tx: Transaction, actor: Actor): Promise<void> {
  requireOwner(actor)
  await saveOrganizationChanges(tx, await lockRealm(tx, actor.realmId), { deactivatedAt: tx.now, settings: {} })
}

function valuesOf(update: OrganizationUpdate): Partial<RealmSettings> {
  const values = realmSettingNames.flatMap((name) => {
    const declaration = realmSettingDeclarations[name]
    const value = update[name]
    if (declaration.kind === 'permission' || value === undefined) return []
    const { aliases }: { aliases: Readonly<Record<string, unknown>> } = declaration
    return [[name, typeof value === 'string' && Object.hasOwn(aliases, value) ? aliases[value] : value]]
  })
  return Object.fromEntries(values)
}

async function requirePermissions(
  tx: Transaction,
  realm: Realm,
  update: OrganizationUpdate,
): Promise<Partial<RealmSettings>> {
  const settings: Partial<RealmSettings> = {}
  for (const name of realmPermissionNames) {
    const change = update[name]
    if (change === undefined) continue
    const rule = { setting: name, excludes: realmSettingDeclarations[name].excludes }
    settings[name] = await requireChangedGroupSetting(tx.db, { realmId: realm.id }, realm.settings[name], change, rule)
  }
  return settings
}
