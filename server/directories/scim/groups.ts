import { createGroup } from '#groups/create-group.ts'
import type { Group, RealmGroups } from '#groups/group.ts'
import { changeMembers, directMemberIds, findActiveAccounts } from '#groups/members.ts'
import { findRealmGroups, lockRealmGroups } from '#groups/queries.ts'
import { deactivateGroup, updateGroup } from '#groups/update-group.ts'
import { findMembershipScope } from '#groups/viewer.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isBot } from '#people/users.ts'
import type { Transaction } from '#storage/storage.ts'
import { invalidValue, noSuchResource, systemGroup } from './errors.ts'
import { attributeOf, matchesFilter } from './filter.ts'
import { idOf } from './patch.ts'
import { findExternalGroupIds, saveExternalGroupId } from './queries.ts'
import { isWanted, type Json, listPage, type Query } from './resources.ts'
import { groupKey, readText, type ScimContext } from './users.ts'

// User groups as SCIM groups. Members are active people and other groups; bots stay in a group, unseen. The id of a group
// begins with `group-`, because SCIM tells the ids of users and groups apart by nothing else. Groups of roles are listed,
// but cannot be changed. A deleted group is deactivated, and no longer there.

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** The attributes that directories can change. */
export const GROUP_ATTRIBUTES = ['displayName', 'members', 'externalId'] as const

/** Returns the groups as SCIM shows them, with their members only if they are wanted. */
async function toGroupsJson(context: ScimContext, groups: readonly Group[], withMembers: boolean): Promise<Json[]> {
  const { actor, url, db } = context
  const externalIds = await findExternalGroupIds(db, actor.realmId)
  const membersOf = withMembers ? await memberLists(context, groups) : null
  return groups.map((group) => {
    const externalId = externalIds.get(group.id) ?? null
    const id = groupKey(group.id)
    return {
      schemas: [GROUP_SCHEMA],
      id,
      ...(externalId !== null && { externalId }),
      displayName: group.name,
      ...(membersOf !== null && { members: membersOf.get(group.id) }),
      meta: {
        resourceType: 'Group',
        ...(group.systemName === null && { created: new Date(group.createdAt * 1000).toISOString() }),
        location: `${url}/Groups/${id}`,
      },
    }
  })
}

async function memberLists(
  { actor, url, db, now }: ScimContext,
  groups: readonly Group[],
): Promise<Map<number, Json[]>> {
  const scope = await findMembershipScope(db, actor, now)
  const people = new Map([...(await findActiveAccounts(db, actor.realmId))].filter(([, account]) => !isBot(account)))
  const memberIds = new Map(groups.map((group) => [group.id, directMemberIds(scope, people, group)]))
  const users = new Map((await findUsersById(db, [...memberIds.values()].flat())).map((user) => [user.id, user]))
  return new Map(
    groups.map((group) => [
      group.id,
      [
        ...(memberIds.get(group.id) ?? []).map((id) => ({
          value: String(id),
          $ref: `${url}/Users/${id}`,
          display: users.get(id)?.fullName,
          type: 'User',
        })),
        ...group.subgroupIds
          .filter((id) => scope.groups.byId.get(id)?.deactivatedAt === null)
          .map((id) => ({
            value: groupKey(id),
            $ref: `${url}/Groups/${groupKey(id)}`,
            display: scope.groups.byId.get(id)?.name,
            type: 'Group',
          })),
      ],
    ]),
  )
}

const GROUP_ID = /^group-(\d{1,15})$/

function findActiveGroup(groups: RealmGroups, id: string): Group | null {
  const group = groups.byId.get(Number(GROUP_ID.exec(id)?.[1]))
  return group?.deactivatedAt === null ? group : null
}

function requireScimGroup(groups: RealmGroups, id: string): Group {
  const group = findActiveGroup(groups, id)
  if (group === null) throw noSuchResource()
  return group
}

/** Returns the current group, locked until the transaction ends. Refuses groups that nobody can change. */
export async function lockScimGroup(tx: Transaction, { realmId }: Actor, id: string): Promise<Group> {
  const group = requireScimGroup(await lockRealmGroups(tx, realmId), id)
  if (group.systemName !== null) throw systemGroup()
  return group
}

export async function getGroup(context: ScimContext, id: string, query: Query): Promise<Json> {
  const group = requireScimGroup(await findRealmGroups(context.db, context.actor.realmId), id)
  return (await toGroupsJson(context, [group], isWanted(query, 'members')))[0] as Json
}

/** Returns the number of members of the group, those that SCIM does not show included; 0 if it is not there. */
export async function countMembers({ db, actor }: ScimContext, id: string): Promise<number> {
  const group = findActiveGroup(await findRealmGroups(db, actor.realmId), id)
  return group === null ? 0 : group.memberIds.size + group.subgroupIds.length
}

export async function listScimGroups(context: ScimContext, query: Query): Promise<Json> {
  const { filter } = query
  const { byId } = await findRealmGroups(context.db, context.actor.realmId)
  const groups = [...byId.values()].filter(({ deactivatedAt }) => deactivatedAt === null)
  const withMembers = isWanted(query, 'members')
  if (filter === null) return listPage(groups, query, (page) => toGroupsJson(context, page, withMembers))
  const shown = await toGroupsJson(context, groups, true)
  const matching = shown.filter((group) => matchesFilter(group, filter, context.comparisons))
  return listPage(matching, query, async (page) => [...page])
}

type Members = { users: Set<number>; groups: Set<number> }

/** Returns the members that a request names. Refuses ids that are not those of people and groups of the organization. */
async function requireMembers(tx: Transaction, actor: Actor, groups: RealmGroups, given: unknown): Promise<Members> {
  if (!Array.isArray(given)) throw invalidValue({ attribute: 'members' })
  const members: Members = { users: new Set(), groups: new Set() }
  for (const item of given) {
    const id = idOf(item)
    const group = findActiveGroup(groups, id)
    if (group !== null) members.groups.add(group.id)
    else if (/^\d{1,15}$/.test(id)) members.users.add(Number(id))
    else throw invalidValue({ attribute: 'members' })
  }
  const found = new Map((await findUsersById(tx.db, members.users)).map((user) => [user.id, user]))
  for (const id of members.users) {
    const user = found.get(id)
    if (user === undefined || user.realmId !== actor.realmId || isBot(user))
      throw invalidValue({ attribute: 'members' })
    // A deactivated account joins no group. One that was a member before stays one.
    if (user.deactivatedAt !== null) members.users.delete(id)
  }
  return members
}

/** Creates a group. As on the reference server, only those who manage all groups can change it in the client. */
export async function createScimGroup(tx: Transaction, { actor }: ScimContext, given: Json): Promise<string> {
  const name = readText(given, 'displayName')
  if (typeof name !== 'string') throw invalidValue({ attribute: 'displayName' })
  const groups = await lockRealmGroups(tx, actor.realmId)
  const members = await requireMembers(tx, actor, groups, attributeOf(given, 'members') ?? [])
  const nobody = groups.systemId['role:nobody']
  const id = await createGroup(tx, actor, {
    name,
    description: '',
    memberIds: [...members.users],
    subgroupIds: [...members.groups],
    settings: { can_add_members_group: nobody, can_manage_group: nobody },
  })
  const externalId = readText(given, 'externalId')
  if (typeof externalId === 'string') await saveExternalGroupId(tx, id, externalId)
  return groupKey(id)
}

/** Gives the group these values; `isChange` as for users. */
export async function changeScimGroup(
  tx: Transaction,
  actor: Actor,
  group: Group,
  given: Json,
  { isChange }: { isChange: boolean },
): Promise<void> {
  const name = readText(given, 'displayName')
  if (typeof name !== 'string') throw invalidValue({ attribute: 'displayName' })
  const externalId = readText(given, 'externalId')
  const members = attributeOf(given, 'members')
  // Members come first, because message ids are reserved before rows are written.
  if (members !== undefined && members !== null) await replaceMembers(tx, actor, group, members)
  if (name !== group.name) await updateGroup(tx, actor, group.id, { name, settings: {} })
  if (externalId !== undefined || isChange) await saveExternalGroupId(tx, group.id, externalId ?? null)
}

async function replaceMembers(tx: Transaction, actor: Actor, group: Group, given: unknown): Promise<void> {
  const groups = await lockRealmGroups(tx, actor.realmId)
  const members = await requireMembers(tx, actor, groups, given)
  const active = await findActiveAccounts(tx.db, actor.realmId)
  const people = [...group.memberIds].filter((id) => {
    const account = active.get(id)
    return account !== undefined && !isBot(account)
  })
  const subgroups = group.subgroupIds.filter((id) => groups.byId.get(id)?.deactivatedAt === null)
  const changes = {
    add: [...members.users.difference(group.memberIds)],
    remove: people.filter((id) => !members.users.has(id)),
    addSubgroups: [...members.groups.difference(new Set(group.subgroupIds))],
    removeSubgroups: subgroups.filter((id) => !members.groups.has(id)),
  }
  if (Object.values(changes).some((ids) => ids.length > 0)) await changeMembers(tx, actor, group.id, changes)
}

export async function deleteScimGroup(tx: Transaction, actor: Actor, id: string): Promise<void> {
  const group = await lockScimGroup(tx, actor, id)
  await deactivateGroup(tx, actor, group.id)
}
