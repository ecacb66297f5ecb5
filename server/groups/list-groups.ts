import type { Actor } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { type GroupJson, toGroupJson } from './group-json.ts'
import { directMemberIds, findActiveAccounts, visibleAccounts } from './members.ts'
import { viewerOf } from './viewer.ts'

/** Returns the groups of the actor's organization, ordered by id, with the members that the actor may see. */
export async function listGroups(
  db: Db,
  actor: Actor,
  now: number,
  { includesDeactivated }: { includesDeactivated: boolean },
): Promise<GroupJson[]> {
  const viewer = viewerOf(db, actor, now)
  const scope = await viewer.scope()
  const people = visibleAccounts(await findActiveAccounts(db, actor.realmId), await viewer.visibleIds())
  const groups = [...scope.groups.byId.values()].filter((group) => includesDeactivated || group.deactivatedAt === null)
  return groups.map((group) => toGroupJson(scope.groups, group, directMemberIds(scope, people, group)))
}
