import { tellOfGroups } from '../groups/events.ts'
import { isDirectlyIn } from '../groups/members.ts'
import { type MembershipScope, membershipScope } from '../groups/membership.ts'
import type { Realm } from '../realms/realm.ts'
import type { Transaction } from '../storage/storage.ts'
import type { User } from '../users/user.ts'

type GroupEvent = Parameters<typeof tellOfGroups>[2][number]

/** Tells everybody which groups an account came into and left by a change: of role, or of being active at all. */
export async function tellOfGroupsChange(
  tx: Transaction,
  realm: Realm,
  before: User | null,
  after: User,
): Promise<void> {
  const scope = await membershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const left = groupIdsOf(scope, before)
  const joined = groupIdsOf(scope, after)
  const events = (op: 'add_members' | 'remove_members', ids: ReadonlySet<number>) =>
    Array.from(ids, (id): GroupEvent => ({ op, group_id: id, user_ids: [after.id] }))
  await tellOfGroups(tx, realm.id, [
    ...events('remove_members', left.difference(joined)),
    ...events('add_members', joined.difference(left)),
  ])
}

/** The groups that list the account as their direct member. */
function groupIdsOf(scope: MembershipScope, user: User | null): Set<number> {
  const ids = new Set<number>()
  if (user === null || user.deactivatedAt !== null) return ids
  for (const group of scope.groups.byId.values()) {
    const { systemName, memberIds } = group
    const isIn = systemName === null ? memberIds.has(user.id) : isDirectlyIn(scope, systemName, user)
    if (isIn) ids.add(group.id)
  }
  return ids
}
