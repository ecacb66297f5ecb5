import { recordAudit } from '#people/audit.ts'
import { MAX_GROUPS_PER_DAY, requireBelowDailyLimit } from '#people/creation-limits.ts'
import type { Actor } from '#people/users.ts'
import type { AnonymousGroup } from '#realms/realm-settings.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  requireActiveGroup,
  requireGroup,
  requireGroupSetting,
  requireMayCreateGroups,
  requireMembers,
} from './access.ts'
import {
  type GroupSettingName,
  type GroupSettings,
  groupSettingDeclarations,
  groupSettingNames,
  requireGroupDescription,
  requireGroupName,
  requireUniqueGroupName,
  toGroupJson,
} from './group.ts'
import { directMemberIds, emitGroupEvents, findActiveAccounts, type GroupEvent } from './members.ts'
import { lockRealmGroups, saveGroup } from './queries.ts'
import { findMembershipScope, viewerOf } from './viewer.ts'

// Creating groups, and the event that adds a group to clients.

/**
 * Emits an added group to everyone in the organization. With `is_back`, only clients that removed the group when it was
 * deactivated receive the event.
 */
export async function emitGroupAdded(
  tx: Transaction,
  actor: Actor,
  id: number,
  marks: Pick<Extract<GroupEvent, { op: 'add' }>, 'is_back'> = {},
): Promise<void> {
  const scope = await findMembershipScope(tx.db, actor, tx.now)
  const group = await requireGroup(tx.db, actor, id)
  const members = directMemberIds(scope, await findActiveAccounts(tx.db, actor.realmId), group)
  await emitGroupEvents(tx, actor.realmId, [{ op: 'add', group: toGroupJson(scope.groups, group, members), ...marks }])
}

type CreateGroupRequest = {
  name: string
  description: string
  memberIds: readonly number[]
  subgroupIds: readonly number[]
  settings: { [Name in GroupSettingName]?: number | AnonymousGroup | undefined }
}

/** Creates a group and emits it to everyone in the organization. Returns its id. */
export async function createGroup(tx: Transaction, actor: Actor, plan: CreateGroupRequest): Promise<number> {
  await requireMayCreateGroups(viewerOf(tx.db, actor, tx.now))
  await requireMembers(tx.db, actor, plan.memberIds)
  const name = requireGroupName(plan.name)
  const description = requireGroupDescription(plan.description)
  const groups = await lockRealmGroups(tx, actor.realmId)
  const settings = await requireSettings(tx.db, actor, plan.settings)
  for (const id of plan.subgroupIds) requireActiveGroup(groups, id)
  requireUniqueGroupName(groups, name, null)
  const creations = { table: 'userGroups', by: 'creatorId', at: 'createdAt', plural: 'groups' } as const
  await requireBelowDailyLimit(tx.db, actor, creations, { count: 1, limit: MAX_GROUPS_PER_DAY, now: tx.now })

  const { memberIds, subgroupIds } = plan
  const created = { realmId: actor.realmId, name, description, creatorId: actor.id, settings, memberIds, subgroupIds }
  const id = await saveGroup(tx, created)
  await recordAudit(tx, actor.realmId, 'group_created', { targetId: id })
  await emitGroupAdded(tx, actor, id)
  return id
}

async function requireSettings(
  db: Db,
  actor: Actor,
  given: CreateGroupRequest['settings'],
): Promise<Partial<GroupSettings>> {
  const settings: Partial<GroupSettings> = {}
  for (const setting of groupSettingNames) {
    const value = given[setting]
    if (value === undefined) continue
    settings[setting] = await requireGroupSetting(db, actor, value, {
      setting,
      excludes: groupSettingDeclarations[setting].excludes,
    })
  }
  return settings
}
