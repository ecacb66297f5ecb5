import { isVisible, type User } from '#people/users/user.ts'
import type { SystemGroupName } from '#realms/group-setting.ts'
import { Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { type Group, isFullMember } from './group.ts'
import { type Candidate, isInGroup, type MembershipScope } from './membership.ts'

/** The fields of an account that groups need. */
export type ActiveAccount = Candidate & Pick<User, 'botType'>

/** All active accounts of an organization by id, in ascending order of ids. */
export type ActiveAccounts = ReadonlyMap<number, ActiveAccount>

export async function findActiveAccounts(db: Db, realmId: number): Promise<ActiveAccounts> {
  const rows = await db
    .selectFrom('users')
    .select(['id', 'role', 'joinedAt', 'botType'])
    .where('realmId', '=', realmId)
    .where('deactivatedAt', 'is', null)
    .orderBy('id')
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Returns the ids of the active direct members, in ascending order. Members of system groups are determined by role.
 */
export function directMemberIds(scope: MembershipScope, people: ActiveAccounts, group: Group): number[] {
  const { systemName } = group
  if (systemName === null) return [...group.memberIds].filter((id) => people.has(id)).sort((one, other) => one - other)
  return idsOf(people, (person) => isDirectlyIn(scope, systemName, person))
}

/** Returns the accounts that a user with these `visibleIds` may see. Null means all accounts. */
export function visibleAccounts(people: ActiveAccounts, visibleIds: ReadonlySet<number> | null): ActiveAccounts {
  return visibleIds === null ? people : new Map([...people].filter(([, person]) => isVisible(visibleIds, person)))
}

/** Returns the ids of all active members, including members of nested subgroups, in ascending order. */
export function allMemberIds(scope: MembershipScope, people: ActiveAccounts, group: Group): number[] {
  return idsOf(people, (person) => isInGroup(scope, person, group.id))
}

const idsOf = (people: ActiveAccounts, isMember: (person: Candidate) => boolean) =>
  [...people.values()].filter(isMember).map((person) => person.id)

/**
 * Returns whether the account is a direct member of the system group, because of its role, and not a member through a
 * subgroup.
 */
export function isDirectlyIn(
  { waitingPeriodDays, now }: Omit<MembershipScope, 'groups'>,
  name: SystemGroupName,
  person: Candidate,
): boolean {
  switch (name) {
    case 'role:owners':
      return person.role === Role.owner
    case 'role:administrators':
      return person.role === Role.administrator
    case 'role:moderators':
      return person.role === Role.moderator
    case 'role:fullmembers':
      return person.role === Role.member && isFullMember(person, waitingPeriodDays, now)
    case 'role:members':
      return person.role === Role.member
    case 'role:everyone':
      return person.role === Role.guest
    case 'role:internet':
    case 'role:nobody':
      return false
  }
}

/** Returns the ids of all subgroups of the group, direct or nested, in ascending order. */
export function allSubgroupIds({ groups }: Pick<MembershipScope, 'groups'>, group: Group): number[] {
  const found = new Set<number>()
  const pending = [...group.subgroupIds]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (found.has(id)) continue
    found.add(id)
    pending.push(...(groups.byId.get(id)?.subgroupIds ?? []))
  }
  return [...found].sort((one, other) => one - other)
}
