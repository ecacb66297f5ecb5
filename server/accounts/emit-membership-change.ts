import { emitGroupEvents } from '#groups/events.ts'
import { findActiveAccounts, isDirectlyIn } from '#groups/members.ts'
import { findMembershipScope, type MembershipScope } from '#groups/membership.ts'
import type { User } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'

type GroupEvent = Parameters<typeof emitGroupEvents>[2][number]

/**
 * Emits the groups that an account has joined and left, because it was created, deactivated or reactivated, or its role
 * has changed.
 */
export async function emitMembershipChange(
  tx: Transaction,
  realm: Realm,
  before: User | null,
  after: User,
): Promise<void> {
  const scope = await findMembershipScope(tx.db, { realmId: realm.id, realm }, tx.now)
  const left = groupIdsOf(scope, before)
  const joined = groupIdsOf(scope, after)
  const events = (op: 'add_members' | 'remove_members', ids: ReadonlySet<number>) =>
    Array.from(ids, (id): GroupEvent => ({ op, group_id: id, user_ids: [after.id] }))
  await emitGroupEvents(tx, realm.id, [
    ...events('remove_members', left.difference(joined)),
    ...events('add_members', joined.difference(left)),
  ])
}

/** Emits the users who became full members, and those who no longer are, because the waiting period has changed. */
export async function emitFullMemberChange(tx: Transaction, before: Realm, after: Realm): Promise<void> {
  if (before.settings.waiting_period_threshold === after.settings.waiting_period_threshold) return
  const people = await findActiveAccounts(tx.db, after.id)
  const scopes = [
    await findMembershipScope(tx.db, { realmId: before.id, realm: before }, tx.now),
    await findMembershipScope(tx.db, { realmId: after.id, realm: after }, tx.now),
  ]
  const [membersBefore, membersAfter] = scopes.map((scope) => {
    const members = [...people.values()].filter((person) => isDirectlyIn(scope, 'role:fullmembers', person))
    return new Set(members.map((person) => person.id))
  }) as [Set<number>, Set<number>]
  const group_id = (scopes[0] as MembershipScope).groups.systemId['role:fullmembers']
  const [left, joined] = [[...membersBefore.difference(membersAfter)], [...membersAfter.difference(membersBefore)]]
  if (left.length > 0) await emitGroupEvents(tx, after.id, [{ op: 'remove_members', group_id, user_ids: left }])
  if (joined.length > 0) await emitGroupEvents(tx, after.id, [{ op: 'add_members', group_id, user_ids: joined }])
}

/** Returns the ids of the groups that list the account as a direct member. */
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
