import type { Actor } from '../people/users/user.ts'
import type { Db } from '../platform/storage/storage.ts'
import { type GroupJson, toGroupJson } from './group-json.ts'
import { directMemberIds, findActiveAccounts, visibleAccounts } from './members.ts'
import { findMembershipScope } from './membership.ts'
import { findVisibleUserIds } from './visible-users.ts'

/** Returns the groups of the actor's organization, ordered by id, with the members that the actor may see. */
export async function listGroups(
  db: Db,
  actor: Actor,
  now: number,
  { includesDeactivated }: { includesDeactivated: boolean },
): Promise<GroupJson[]> {
  const scope = await findMembershipScope(db, actor, now)
  const people = visibleAccounts(await findActiveAccounts(db, actor.realmId), await findVisibleUserIds(db, actor, now))
  const groups = [...scope.groups.byId.values()].filter((group) => includesDeactivated || group.deactivatedAt === null)
  return groups.map((group) => toGroupJson(scope.groups, group, directMemberIds(scope, people, group)))
}
