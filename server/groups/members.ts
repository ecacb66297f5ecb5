import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isBot, isVisible, type User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import type { SystemGroupName } from '#realms/realm-settings.ts'
import type { GroupAction } from '#rules/permissions.ts'
import { Role } from '#rules/role.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Db, EmittedOfType, Transaction } from '#storage/storage.ts'
import { requireActiveGroup, requireGroupIn, requireMayChangeGroup, requireMembers } from './access.ts'
import { type Group, type GroupJson, isFullMember, toGroupJson } from './group.ts'
import { deleteGroupMembers, deleteSubgroups, lockRealmGroups, saveGroupMembers, saveSubgroups } from './queries.ts'
import {
  type Candidate,
  findConnectionsAmong,
  findLimitedGuests,
  isInGroup,
  type MembershipScope,
  membershipScope,
  viewerOf,
} from './viewer.ts'

// The members and subgroups of groups: listing and changing them, and the events about that. Limited guests receive
// only the members whom they may see.

/** The fields of an account that groups need. */
type ActiveAccount = Candidate & Pick<User, 'botType'>

/** All active accounts of an organization by id, in ascending order of ids. */
type ActiveAccounts = ReadonlyMap<number, ActiveAccount>

/** An event about a group, without its type. */
export type GroupEvent = WithoutType<EmittedOfType<'user_group'>>

type WithoutType<Each> = Each extends unknown ? Omit<Each, 'type'> : never

/** `add` and `remove` contain user ids; the others contain group ids. */
export type MemberChanges = {
  add: readonly number[]
  remove: readonly number[]
  addSubgroups: readonly number[]
  removeSubgroups: readonly number[]
}

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

/** Emits group events to everyone in the organization. Limited guests receive only the members that they may see. */
export async function emitGroupEvents(tx: Transaction, realmId: number, events: readonly GroupEvent[]): Promise<void> {
  if (events.length === 0) return
  const people = await findActiveAccounts(tx.db, realmId)
  const realm = await findRealm(tx.db, realmId)
  const limited = realm === null ? [] : await findLimitedGuests(tx.db, realm, [...people.values()], tx.now)
  const limitedIds = limited.map((guest) => guest.id)
  const others = new Set(people.keys()).difference(new Set(limitedIds))
  for (const event of events) {
    emitGroupEventTo(tx, realmId, event, others)
    await emitToLimitedGuests(tx, realmId, event, { people, guestIds: limitedIds })
  }
}

export function emitGroupEventTo(
  tx: Transaction,
  realmId: number,
  event: GroupEvent,
  audience: Iterable<number>,
): void {
  tx.emit(realmId, { type: 'user_group', ...event }, audience)
}

async function emitToLimitedGuests(
  tx: Transaction,
  realmId: number,
  event: GroupEvent,
  { people, guestIds }: { people: ActiveAccounts; guestIds: readonly number[] },
): Promise<void> {
  if (guestIds.length === 0) return
  const ids = memberIdsOf(event)
  if (ids === null) {
    emitGroupEventTo(tx, realmId, event, guestIds)
    return
  }
  const inactive = await findUsersById(tx.db, new Set(ids.filter((id) => !people.has(id))))
  const members = new Map<number, ActiveAccount>([...people, ...inactive.map((user) => [user.id, user] as const)])
  const isKnownBot = (id: number) => isBot(members.get(id) ?? { botType: null })
  const connections = await findConnectionsAmong(tx.db, guestIds, ids)
  const visible = (guestId: number) => ids.filter((id) => isKnownBot(id) || connections.get(guestId)?.has(id))
  for (const [text, audience] of Map.groupBy(guestIds, (guestId) => JSON.stringify(visible(guestId)))) {
    const part = withMemberIds(event, JSON.parse(text) as number[])
    if (part !== null) emitGroupEventTo(tx, realmId, part, audience)
  }
}

/** Returns the ids of the members that the event lists; null for events that list no members. */
function memberIdsOf(event: GroupEvent): readonly number[] | null {
  if (event.op === 'add') return event.group.members
  return event.op === 'add_members' || event.op === 'remove_members' ? event.user_ids : null
}

/** Returns the event with these members only; null if nothing is left of the event. */
function withMemberIds(event: GroupEvent, ids: number[]): GroupEvent | null {
  if (event.op === 'add') return { ...event, group: { ...event.group, members: ids } }
  if (event.op !== 'add_members' && event.op !== 'remove_members') return event
  return ids.length === 0 ? null : { ...event, user_ids: ids }
}

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
  await recordAudit(tx, group.realmId, 'group_members_changed', {
    ...{ targetId: group.id, added: [...add], removed: [...remove] },
    ...{ added_subgroups: [...addSubgroups], removed_subgroups: [...removeSubgroups] },
  })
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
