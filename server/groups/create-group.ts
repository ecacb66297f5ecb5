import type { AnonymousGroup } from '../realms/group-setting.ts'
import type { Db, Transaction } from '../storage/storage.ts'
import { insufficientPermission } from '../users/access.ts'
import type { Actor } from '../users/user.ts'
import { requireActiveGroup, requireGroup } from './access.ts'
import { tellOfGroups } from './events.ts'
import { type GroupSettingName, type GroupSettings, groupSettingExclusions, groupSettingNames } from './group.ts'
import { requireGroupDescription } from './group-description.ts'
import { toGroupJson } from './group-json.ts'
import { requireFreeName, requireGroupName } from './group-name.ts'
import { directMemberIds, findPeople } from './members.ts'
import { hasPermission, membershipScope } from './membership.ts'
import { lockRealmGroups, saveGroup } from './queries.ts'
import { requireGroupSetting, requireMembers } from './setting-values.ts'

export type GroupPlan = {
  name: string
  description: string
  memberIds: readonly number[]
  subgroupIds: readonly number[]
  settings: { [Name in GroupSettingName]?: number | AnonymousGroup | undefined }
}

/** Makes a group and tells everybody of it; returns its id. */
export async function createGroup(tx: Transaction, actor: Actor, plan: GroupPlan): Promise<number> {
  if (!(await hasPermission(tx.db, actor, 'can_create_groups', tx.now))) throw insufficientPermission()
  await requireMembers(tx.db, actor, plan.memberIds)
  const name = requireGroupName(plan.name)
  const description = requireGroupDescription(plan.description)
  const settings = await requireSettings(tx.db, actor, plan.settings)
  const groups = await lockRealmGroups(tx, actor.realmId)
  for (const id of plan.subgroupIds) requireActiveGroup(groups, id)
  requireFreeName(groups, name, null)

  const { memberIds, subgroupIds } = plan
  const created = { realmId: actor.realmId, name, description, creatorId: actor.id, settings, memberIds, subgroupIds }
  const id = await saveGroup(tx, created)
  await tellOfNewGroup(tx, actor, id)
  return id
}

async function tellOfNewGroup(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const scope = await membershipScope(tx.db, actor, tx.now)
  const group = await requireGroup(tx.db, actor, id)
  const members = directMemberIds(scope, await findPeople(tx.db, actor.realmId), group)
  await tellOfGroups(tx, actor.realmId, [{ op: 'add', group: toGroupJson(scope.groups, group, members) }])
}

async function requireSettings(db: Db, actor: Actor, given: GroupPlan['settings']): Promise<Partial<GroupSettings>> {
  const settings: Partial<GroupSettings> = {}
  for (const setting of groupSettingNames) {
    const value = given[setting]
    if (value === undefined) continue
    settings[setting] = await requireGroupSetting(db, actor, value, {
      setting,
      excludes: groupSettingExclusions[setting],
    })
  }
  return settings
}
