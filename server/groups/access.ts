import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { type GroupAction, mayChangeGroup as mayChange } from '#rules/group-rules.ts'
import type { Db } from '#storage/storage.ts'
import type { Group } from './group.ts'
import type { MembershipScope } from './membership.ts'
import { findRealmGroups, type RealmGroups } from './queries.ts'
import type { Viewer } from './viewer.ts'

export const invalidUserGroup = refusal('BAD_REQUEST', 400, 'Invalid user group')
export const userGroupDeactivated = refusal('BAD_REQUEST', 400, 'User group is deactivated.')

/** Returns a group of the actor's organization. Deactivated groups are included. */
export async function requireGroup(db: Db, actor: Pick<Actor, 'realmId'>, id: number): Promise<Group> {
  return requireGroupIn(await findRealmGroups(db, actor.realmId), id)
}

export function requireGroupIn(groups: RealmGroups, id: number): Group {
  const group = groups.byId.get(id)
  if (group === undefined) throw invalidUserGroup()
  return group
}

/** Returns a group that is not deactivated; it may be a system group. */
export function requireActiveGroup(groups: RealmGroups, id: number): Group {
  const group = requireGroupIn(groups, id)
  if (group.deactivatedAt !== null) throw userGroupDeactivated()
  return group
}

/** Returns a group whose members the actor may list: one of their organization that is not deactivated. */
export async function requireListedGroup(db: Db, actor: Pick<Actor, 'realmId'>, id: number): Promise<Group> {
  return requireActiveGroup(await findRealmGroups(db, actor.realmId), id)
}

export async function requireMayCreateGroups(viewer: Viewer): Promise<void> {
  if (!(await viewer.has('can_create_groups'))) throw insufficientPermission()
}

/** Returns whether the actor may perform the action on the group. System groups cannot be changed. */
export function mayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): boolean {
  const { can_manage_all_groups } = actor.realm.settings
  const rulesGroup = { isSystem: group.systemName !== null, settings: group.settings }
  return mayChange(scope, actor, rulesGroup, act, can_manage_all_groups)
}

export function requireMayChangeGroup(scope: MembershipScope, actor: Actor, group: Group, act: GroupAction): void {
  if (!mayChangeGroup(scope, actor, group, act)) throw insufficientPermission()
}
