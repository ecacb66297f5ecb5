import type { Actor } from '#people/users/user.ts'
import type { GroupSetting, SystemGroupName } from '#realms/group-setting.ts'
import type { Realm } from '#realms/realm.ts'
import { type RealmPermissionName, realmSettingDeclarations } from '#realms/settings.ts'
import type { PermissionScope } from '#rules/permission-scope.ts'
import { isGuest } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { isInSystemGroup } from './group.ts'
import { findRealmGroups, type RealmGroups } from './queries.ts'

/**
 * The data that decides group membership: the organization's groups, its waiting period in days, and the current time.
 */
export type MembershipScope = PermissionScope<Candidate, GroupSetting> & {
  groups: RealmGroups
  waitingPeriodDays: number
  now: number
}

/** The fields of an account that decide membership. */
export type Candidate = { id: number; role: number; joinedAt: number }

/**
 * Returns whether the user is in the group, directly or through a nested subgroup. Deactivated groups keep their
 * members.
 */
export function isInGroup(scope: MembershipScope, user: Candidate, groupId: number): boolean {
  const pending = [groupId]
  const seen = new Set(pending)
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const group = scope.groups.byId.get(id)
    if (group === undefined) continue
    if (group.systemName !== null) {
      if (isInSystemGroup(group.systemName, user, scope.waitingPeriodDays, scope.now)) return true
      continue
    }
    if (group.memberIds.has(user.id)) return true
    for (const subgroupId of group.subgroupIds) {
      if (seen.has(subgroupId)) continue
      seen.add(subgroupId)
      pending.push(subgroupId)
    }
  }
  return false
}

/** Returns whether the setting includes the user, directly or through a group. */
export function isInSetting(scope: MembershipScope, user: Candidate, setting: GroupSetting): boolean {
  if (typeof setting === 'string') return isInSystemGroup(setting, user, scope.waitingPeriodDays, scope.now)
  if (typeof setting === 'number') return isInGroup(scope, user, setting)
  return setting.direct_members.includes(user.id) || setting.direct_subgroups.some((id) => isInGroup(scope, user, id))
}

/** Loads the data that `isInSetting` needs for the actor's organization. */
export async function findMembershipScope(
  db: Db,
  actor: Pick<Actor, 'realmId' | 'realm'>,
  now: number,
): Promise<MembershipScope> {
  return membershipScope(await findRealmGroups(db, actor.realmId), actor.realm, now)
}

/** Returns the scope of an organization whose groups are already loaded. */
export function membershipScope(groups: RealmGroups, realm: Realm, now: number): MembershipScope {
  const scope: MembershipScope = {
    groups,
    waitingPeriodDays: realm.settings.waiting_period_threshold,
    now,
    includes: (user, setting) => isInSetting(scope, user, setting),
  }
  return scope
}

/**
 * Returns whether the actor has a permission of the organization. Owners and administrators are not exempt. If a
 * permission cannot be given to `role:everyone`, guests never have it.
 */
export function hasPermission(scope: MembershipScope, actor: Actor, permission: RealmPermissionName): boolean {
  const { excludes } = realmSettingDeclarations[permission]
  if (isGuest(actor) && excludes.includes('role:everyone')) return false
  return isInSetting(scope, actor, actor.realm.settings[permission])
}

/** Returns a setting as clients see it. Names of system groups become ids. */
export function toGroupSettingJson(groups: RealmGroups, setting: GroupSetting): Exclude<GroupSetting, SystemGroupName> {
  return typeof setting === 'string' ? groups.systemId[setting] : setting
}
