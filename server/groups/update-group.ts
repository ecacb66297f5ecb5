import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import type { GroupSettingUpdate } from '#realms/group-setting.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireActiveGroup, requireGroupIn, requireMayChangeGroup } from './access.ts'
import { emitGroupAdded } from './emit-group-added.ts'
import { emitGroupEvents } from './events.ts'
import {
  equalSettings,
  type Group,
  type GroupSettingName,
  type GroupSettings,
  groupSettingExclusions,
  groupSettingNames,
} from './group.ts'
import { requireGroupDescription } from './group-description.ts'
import type { GroupJson } from './group-json.ts'
import { requireGroupName, requireUniqueGroupName } from './group-name.ts'
import { requireGroupUnused } from './group-usage.ts'
import { membershipScope, toGroupSettingJson } from './membership.ts'
import { lockRealmGroups, type RealmGroups, saveGroupFields, saveGroupSettings } from './queries.ts'
import { requireChangedGroupSetting } from './setting-values.ts'

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
    const rule = { setting: name, excludes: groupSettingExclusions[name] }
    const setting = await requireChangedGroupSetting(tx.db, actor, current, update, rule)
    if (!equalSettings(setting, current)) settings[name] = setting
  }
  return settings
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
