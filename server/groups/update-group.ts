import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { type GroupSetting, type GroupSettingUpdate, realmPermissionNames } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { requireActiveGroup, requireChangedGroupSetting, requireGroupIn, requireMayChangeGroup } from './access.ts'
import { emitGroupAdded } from './create-group.ts'
import {
  equalSettings,
  type Group,
  type GroupJson,
  type GroupSettingName,
  type GroupSettings,
  groupSettingDeclarations,
  groupSettingNames,
  type RealmGroups,
  requireGroupDescription,
  requireGroupName,
  requireUniqueGroupName,
  toGroupSettingJson,
} from './group.ts'
import { emitGroupEvents } from './members.ts'
import { lockRealmGroups, saveGroupFields, saveGroupSettings } from './queries.ts'
import { membershipScope } from './viewer.ts'

// Changing, deactivating and reactivating groups. If one of several changes is refused, nothing changes. A group in
// use cannot be deactivated; the refusal names the uses.

/** A use of a group that prevents its deactivation, as an entry of the error's `objections`. */
type Objection =
  | { type: 'subgroup'; supergroup_ids: number[] }
  | { type: 'channel'; channel_id: number; settings: string[] }
  | { type: 'user_group'; group_id: number; settings: string[] }
  | { type: 'realm'; settings: string[] }

export const groupInUse = refusal('CANNOT_DEACTIVATE_GROUP_IN_USE', 400, 'Cannot deactivate user group in use.', {
  extras: ({ objections }: { objections: readonly Objection[] }) => ({ objections }),
})

/**
 * Refuses if an active group contains the group as a direct subgroup, or if a setting names it. Only settings of the
 * organization, active channels and active groups count.
 */
async function requireGroupUnused(db: Db, realm: Realm, groups: RealmGroups, group: Group): Promise<void> {
  const others = [...groups.byId.values()].filter(({ id, deactivatedAt }) => id !== group.id && deactivatedAt === null)
  const objections: Objection[] = []

  const supergroups = others.filter(({ subgroupIds }) => subgroupIds.includes(group.id))
  if (supergroups.length > 0) objections.push({ type: 'subgroup', supergroup_ids: supergroups.map(({ id }) => id) })
  for (const channel of await findChannelSettings(db, realm.id)) {
    const settings = settingsNaming(group.id, channel.settings)
    if (settings.length > 0) objections.push({ type: 'channel', channel_id: channel.id, settings })
  }
  for (const other of others) {
    const settings = settingsNaming(group.id, other.settings)
    if (settings.length > 0) objections.push({ type: 'user_group', group_id: other.id, settings })
  }
  const permissions = Object.fromEntries(realmPermissionNames.map((name) => [name, realm.settings[name]]))
  const settings = settingsNaming(group.id, permissions)
  if (settings.length > 0) objections.push({ type: 'realm', settings })

  if (objections.length > 0) throw groupInUse({ objections })
}

/** Returns the names of those settings whose value contains the group, alone or with others. */
function settingsNaming(groupId: number, settings: Readonly<Record<string, GroupSetting>>): string[] {
  return Object.keys(settings).filter((name) => {
    const setting = settings[name]
    return typeof setting === 'object' ? setting.direct_subgroups.includes(groupId) : setting === groupId
  })
}

/** Returns the settings of active channels that differ from their defaults. The defaults contain only system groups. */
async function findChannelSettings(
  db: Db,
  realmId: number,
): Promise<{ id: number; settings: Record<string, GroupSetting> }[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'settings'])
    .where('realmId', '=', realmId)
    .where('archivedAt', 'is', null)
    .where('settings', '!=', '{}')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id, settings: JSON.parse(row.settings) as Record<string, GroupSetting> }))
}

export const noNewGroupData = refusal('BAD_REQUEST', 400, 'No new data supplied')

/** The requested changes. Undefined fields stay unchanged. */
type GroupChanges = {
  name?: string | undefined
  description?: string | undefined
  deactivated?: boolean | undefined
  settings: { [Name in GroupSettingName]?: GroupSettingUpdate | undefined }
}

/** Changes a group that the actor may manage. If any change is refused, nothing changes. */
export async function updateGroup(
  tx: Transaction,
  actor: Actor,
  groupId: number,
  changes: GroupChanges,
): Promise<void> {
  const { settings: updates, ...plain } = changes
  if ([...Object.values(plain), ...Object.values(updates)].every((value) => value === undefined)) throw noNewGroupData()
  const groups = await lockRealmGroups(tx, actor.realmId)
  const group = await requireManageableGroup(tx, actor, groups, groupId, changes)

  const fields = await requireFieldChanges(tx, actor, groups, group, changes)
  const settings = await requireSettingChanges(tx, actor, group, updates)

  if (Object.keys(fields).length > 0) await saveGroupFields(tx, group.id, fields)
  if (Object.keys(settings).length > 0) await saveGroupSettings(tx, group.id, settings)
  await recordChanges(tx, group, fields, settings)
  if (fields.deactivatedAt === null) await emitGroupAdded(tx, actor, group.id, { is_back: true })
  await emitGroupChange(tx, groups, group, fields, settings)
}

/**
 * Deactivates a group, which keeps its members. Settings of archived channels and deactivated groups may still name it.
 */
export async function deactivateGroup(tx: Transaction, actor: Actor, groupId: number): Promise<void> {
  await updateGroup(tx, actor, groupId, { deactivated: true, settings: {} })
}

/** Refuses changes to a deactivated group unless they reactivate it. */
async function requireManageableGroup(
  tx: Transaction,
  actor: Actor,
  groups: RealmGroups,
  groupId: number,
  { deactivated }: GroupChanges,
): Promise<Group> {
  const group = deactivated === false ? requireGroupIn(groups, groupId) : requireActiveGroup(groups, groupId)
  requireMayChangeGroup(membershipScope(groups, actor.realm, tx.now), actor, group, 'manage')
  return group
}

type FieldChanges = Partial<Pick<Group, 'name' | 'description' | 'deactivatedAt'>>

async function requireFieldChanges(
  tx: Transaction,
  actor: Actor,
  groups: RealmGroups,
  group: Group,
  { name: givenName, description, deactivated }: GroupChanges,
): Promise<FieldChanges> {
  const fields: FieldChanges = {}
  const name = givenName === undefined ? group.name : requireGroupName(givenName)
  const isReactivated = deactivated === false && group.deactivatedAt !== null
  if (name !== group.name || isReactivated) requireUniqueGroupName(groups, name, group.id)
  if (name !== group.name) fields.name = name
  if (description !== undefined && description !== group.description)
    fields.description = requireGroupDescription(description)
  if (isReactivated) fields.deactivatedAt = null
  if (deactivated === true) {
    await requireGroupUnused(tx.db, await lockRealm(tx, actor.realmId), groups, group)
    fields.deactivatedAt = tx.now
  }
  return fields
}

async function requireSettingChanges(
  tx: Transaction,
  actor: Actor,
  group: Group,
  updates: GroupChanges['settings'],
): Promise<Partial<GroupSettings>> {
  const settings: Partial<GroupSettings> = {}
  for (const name of groupSettingNames) {
    const update = updates[name]
    if (update === undefined) continue
    const current = group.settings[name]
    const rule = { setting: name, excludes: groupSettingDeclarations[name].excludes }
    const setting = await requireChangedGroupSetting(tx.db, actor, current, update, rule)
    if (!equalSettings(setting, current)) settings[name] = setting
  }
  return settings
}

async function recordChanges(
  tx: Transaction,
  group: Group,
  { deactivatedAt, ...texts }: FieldChanges,
  settings: Partial<GroupSettings>,
): Promise<void> {
  const { realmId, id: targetId } = group
  const before: Readonly<Record<string, GroupSetting | string>> = {
    ...group.settings,
    ...{ name: group.name, description: group.description },
  }
  for (const [property, to] of Object.entries({ ...texts, ...settings }))
    await recordAudit(tx, realmId, 'group_changed', { targetId, property, from: before[property] ?? null, to })
  if (deactivatedAt === undefined) return
  await recordAudit(tx, realmId, deactivatedAt === null ? 'group_reactivated' : 'group_deactivated', { targetId })
}

async function emitGroupChange(
  tx: Transaction,
  groups: RealmGroups,
  group: Group,
  { deactivatedAt, ...texts }: FieldChanges,
  settings: Partial<GroupSettings>,
): Promise<void> {
  const data: Partial<GroupJson> = { ...texts }
  if (deactivatedAt !== undefined) data.deactivated = deactivatedAt !== null
  for (const name of groupSettingNames) {
    const setting = settings[name]
    if (setting !== undefined) data[name] = toGroupSettingJson(groups, setting)
  }
  if (Object.keys(data).length === 0) return
  await emitGroupEvents(tx, group.realmId, [{ op: 'update', group_id: group.id, data }])
}
