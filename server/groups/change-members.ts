import { refusal } from '../base/refusal.ts'
import { holdMessageIds } from '../storage/counters.ts'
import type { Transaction } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { type GroupAct, requireActiveGroup, requireGroupAmong, requireMayChangeGroup } from './access.ts'
import { type GroupEvent, tellOfGroups } from './events.ts'
import type { Group } from './group.ts'
import { allSubgroupIds } from './members.ts'
import { type MembershipScope, membershipScope } from './membership.ts'
import { endGroupMembers, endSubgroups, lockRealmGroups, saveGroupMembers, saveSubgroups } from './queries.ts'
import { requireMembers } from './setting-values.ts'

export const alreadyMember = refusal('BAD_REQUEST', 400, 'User {userId} is already a member of this group')
export const noSuchMember = refusal('BAD_REQUEST', 400, "There is no member '{userId}' in this user group")
export const alreadySubgroup = refusal('BAD_REQUEST', 400, 'User group {groupId} is already a subgroup of this group.')
export const noSuchSubgroup = refusal('BAD_REQUEST', 400, 'User group {groupId} is not a subgroup of this group.')
export const circularSubgroup = refusal(
  'BAD_REQUEST',
  400,
  'User group {groupId} is already a subgroup of one of the passed subgroups.',
)

export const memberRefusals = [alreadyMember, noSuchMember, alreadySubgroup, noSuchSubgroup, circularSubgroup]

/** Ids of users and of groups. */
export type MemberChanges = {
  add: readonly number[]
  remove: readonly number[]
  addSubgroups: readonly number[]
  removeSubgroups: readonly number[]
}

/**
 * Changes whom a group has directly, and tells everybody: all that is asked for or, when any is refused, nothing. Returns
 * the group as it was.
 */
export async function changeMembers(
  tx: Transaction,
  actor: Actor,
  groupId: number,
  { add, remove, addSubgroups, removeSubgroups }: MemberChanges,
): Promise<Group> {
  const groups = await lockRealmGroups(tx, actor.realmId)
  const group = requireActiveGroup(groups, groupId)
  const scope = { ...(await membershipScope(tx.db, actor, tx.now)), groups }
  const requireMay = (act: GroupAct) => requireMayChangeGroup(scope, actor, group, act)

  if (add.length > 0) requireMay(isSelf(actor, add) ? 'join' : 'addMembers')
  await requireMembers(tx.db, actor, add)
  requireNewMembers(group, add)
  if (remove.length > 0) requireMay(isSelf(actor, remove) ? 'leave' : 'removeMembers')
  requirePresentMembers(group, remove)
  if (addSubgroups.length > 0) requireMay('addMembers')
  requireNewSubgroups(scope, group, addSubgroups)
  if (removeSubgroups.length > 0) requireMay('removeMembers')
  requirePresentSubgroups(scope, group, removeSubgroups)

  // Others are told of it by messages, and ids are taken before rows are written: docs/decisions/0002.
  if (!isSelf(actor, [...add, ...remove])) await holdMessageIds(tx)
  await saveGroupMembers(tx, group.id, add)
  if (remove.length > 0) await endGroupMembers(tx, group.id, remove)
  await saveSubgroups(tx, group.id, addSubgroups)
  if (removeSubgroups.length > 0) await endSubgroups(tx, group.id, removeSubgroups)
  await tellOfMembers(tx, group, { add, remove, addSubgroups, removeSubgroups })
  return group
}

const isSelf = (actor: Actor, ids: readonly number[]) => ids.every((id) => id === actor.id)

function requireNewMembers(group: Group, ids: readonly number[]): void {
  for (const userId of ids) if (group.memberIds.has(userId)) throw alreadyMember({ userId })
}

function requirePresentMembers(group: Group, ids: readonly number[]): void {
  for (const userId of ids) if (!group.memberIds.has(userId)) throw noSuchMember({ userId })
}

/** Refuses groups that are in already, and those that the group is in. */
function requireNewSubgroups(scope: MembershipScope, group: Group, ids: readonly number[]): void {
  const subgroups = ids.map((id) => requireActiveGroup(scope.groups, id))
  for (const { id } of subgroups) if (group.subgroupIds.includes(id)) throw alreadySubgroup({ groupId: id })
  const isCircular = subgroups.some(
    (subgroup) => subgroup.id === group.id || allSubgroupIds(scope, subgroup).includes(group.id),
  )
  if (isCircular) throw circularSubgroup({ groupId: group.id })
}

function requirePresentSubgroups({ groups }: MembershipScope, group: Group, ids: readonly number[]): void {
  for (const id of ids) {
    requireGroupAmong(groups, id)
    if (!group.subgroupIds.includes(id)) throw noSuchSubgroup({ groupId: id })
  }
}

async function tellOfMembers(tx: Transaction, { id, realmId }: Group, changes: MemberChanges): Promise<void> {
  const events: GroupEvent[] = [
    { op: 'add_members', group_id: id, user_ids: unique(changes.add) },
    { op: 'remove_members', group_id: id, user_ids: unique(changes.remove) },
    { op: 'add_subgroups', group_id: id, direct_subgroup_ids: unique(changes.addSubgroups) },
    { op: 'remove_subgroups', group_id: id, direct_subgroup_ids: unique(changes.removeSubgroups) },
  ]
  const hasIds = (event: GroupEvent) => Object.values(event).some((value) => Array.isArray(value) && value.length > 0)
  await tellOfGroups(tx, realmId, events.filter(hasIds))
}

const unique = (ids: readonly number[]) => [...new Set(ids)]
