import { refusal } from '#lib/errors/refusal.ts'
import type { Actor } from '#people/users/user.ts'
import type { GroupAction } from '#rules/group-rules.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Transaction } from '#storage/storage.ts'
import { requireActiveGroup, requireGroupIn, requireMayChangeGroup } from './access.ts'
import { emitGroupEvents, type GroupEvent } from './events.ts'
import type { Group } from './group.ts'
import { allSubgroupIds } from './members.ts'
import { type MembershipScope, membershipScope } from './membership.ts'
import { deleteGroupMembers, deleteSubgroups, lockRealmGroups, saveGroupMembers, saveSubgroups } from './queries.ts'
import { requireMembers } from './setting-values.ts'

const alreadyMember = refusal('BAD_REQUEST', 400, 'User {userId} is already a member of this group')
const noSuchMember = refusal('BAD_REQUEST', 400, "There is no member '{userId}' in this user group")
const alreadySubgroup = refusal('BAD_REQUEST', 400, 'User group {groupId} is already a subgroup of this group.')
const noSuchSubgroup = refusal('BAD_REQUEST', 400, 'User group {groupId} is not a subgroup of this group.')
const circularSubgroup = refusal(
  'BAD_REQUEST',
  400,
  'User group {groupId} is already a subgroup of one of the passed subgroups.',
)

export const memberRefusals = [alreadyMember, noSuchMember, alreadySubgroup, noSuchSubgroup, circularSubgroup]

/** `add` and `remove` contain user ids; the others contain group ids. */
export type MemberChanges = {
  add: readonly number[]
  remove: readonly number[]
  addSubgroups: readonly number[]
  removeSubgroups: readonly number[]
}

/**
 * Changes the direct members and subgroups of a group and emits the changes. If any change is refused, nothing changes.
 * Users are added and removed first, then subgroups; each step sees the result of the previous one. Returns the group
 * as it was before the changes.
 */
export async function changeMembers(
  tx: Transaction,
  actor: Actor,
  groupId: number,
  { add, remove, addSubgroups, removeSubgroups }: MemberChanges,
): Promise<Group> {
  const group = requireActiveGroup(await lockRealmGroups(tx, actor.realmId), groupId)
  // The server sends messages about the change, and message ids must be reserved before rows are written:
  // docs/decisions/0002.
  if (!isSelf(actor, [...add, ...remove])) await lockMessageIds(tx)
  if (add.length > 0) await addMembers(tx, actor, groupId, add)
  if (remove.length > 0) await removeMembers(tx, actor, groupId, remove)
  if (addSubgroups.length > 0) await addSubgroupsTo(tx, actor, groupId, addSubgroups)
  if (removeSubgroups.length > 0) await removeSubgroupsFrom(tx, actor, groupId, removeSubgroups)
  return group
}

async function addMembers(tx: Transaction, actor: Actor, groupId: number, ids: readonly number[]): Promise<void> {
  const { group } = await requireMay(tx, actor, groupId, isSelf(actor, ids) ? 'join' : 'addMembers')
  await requireMembers(tx.db, actor, ids)
  requireNewMembers(group, ids)
  await saveGroupMembers(tx, groupId, ids)
  await emitMemberChange(tx, group, { op: 'add_members', group_id: groupId, user_ids: unique(ids) })
}

async function removeMembers(tx: Transaction, actor: Actor, groupId: number, ids: readonly number[]): Promise<void> {
  const { group } = await requireMay(tx, actor, groupId, isSelf(actor, ids) ? 'leave' : 'removeMembers')
  requirePresentMembers(group, ids)
  await deleteGroupMembers(tx, groupId, ids)
  await emitMemberChange(tx, group, { op: 'remove_members', group_id: groupId, user_ids: unique(ids) })
}

async function addSubgroupsTo(tx: Transaction, actor: Actor, groupId: number, ids: readonly number[]): Promise<void> {
  const { group, scope } = await requireMay(tx, actor, groupId, 'addMembers')
  requireNewSubgroups(scope, group, ids)
  await saveSubgroups(tx, groupId, ids)
  await emitMemberChange(tx, group, { op: 'add_subgroups', group_id: groupId, direct_subgroup_ids: unique(ids) })
}

async function removeSubgroupsFrom(
  tx: Transaction,
  actor: Actor,
  groupId: number,
  ids: readonly number[],
): Promise<void> {
  const { group, scope } = await requireMay(tx, actor, groupId, 'removeMembers')
  requirePresentSubgroups(scope, group, ids)
  await deleteSubgroups(tx, groupId, ids)
  await emitMemberChange(tx, group, { op: 'remove_subgroups', group_id: groupId, direct_subgroup_ids: unique(ids) })
}

/**
 * Refuses unless the actor may perform the action on the group. Locks the organization's groups, and returns the
 * current group and the scope with all groups.
 */
async function requireMay(
  tx: Transaction,
  actor: Actor,
  groupId: number,
  act: GroupAction,
): Promise<{ group: Group; scope: MembershipScope }> {
  const groups = await lockRealmGroups(tx, actor.realmId)
  const group = requireActiveGroup(groups, groupId)
  const scope = membershipScope(groups, actor.realm, tx.now)
  requireMayChangeGroup(scope, actor, group, act)
  return { group, scope }
}

const isSelf = (actor: Actor, ids: readonly number[]) => ids.every((id) => id === actor.id)

function requireNewMembers(group: Group, ids: readonly number[]): void {
  for (const userId of ids) if (group.memberIds.has(userId)) throw alreadyMember({ userId })
}

function requirePresentMembers(group: Group, ids: readonly number[]): void {
  for (const userId of ids) if (!group.memberIds.has(userId)) throw noSuchMember({ userId })
}

/** Refuses to add a group that is already a subgroup of `group`, is `group` itself, or contains it. */
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
    requireGroupIn(groups, id)
    if (!group.subgroupIds.includes(id)) throw noSuchSubgroup({ groupId: id })
  }
}

const emitMemberChange = (tx: Transaction, { realmId }: Group, event: GroupEvent) =>
  emitGroupEvents(tx, realmId, [event])

const unique = (ids: readonly number[]) => [...new Set(ids)]
