import type { Db } from '../storage/storage.ts'
import type { Actor } from '../users/user.ts'
import { type GroupJson, toGroupJson } from './group-json.ts'
import { directMemberIds, findPeople } from './members.ts'
import { membershipScope } from './membership.ts'

/** The groups of the actor's organization in the order of their ids. */
export async function listGroups(
  db: Db,
  actor: Pick<Actor, 'realmId' | 'realm'>,
  now: number,
  { includesDeactivated }: { includesDeactivated: boolean },
): Promise<GroupJson[]> {
  const scope = await membershipScope(db, actor, now)
  const people = await findPeople(db, actor.realmId)
  const groups = [...scope.groups.byId.values()].filter((group) => includesDeactivated || group.deactivatedAt === null)
  return groups.map((group) => toGroupJson(scope.groups, group, directMemberIds(scope, people, group)))
}
