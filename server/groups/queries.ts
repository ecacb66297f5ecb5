import { type SystemGroupName, systemGroupNames } from '#realms/realm-settings.ts'
import { bypassCaches, defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import {
  type Group,
  type GroupSettings,
  type RealmGroups,
  readGroupSettings,
  systemGroupDescriptions,
  systemSubgroups,
} from './group.ts'

// The rows of groups. All groups of an organization are cached together, because almost every permission needs
// several of them. A transaction that changes groups locks them first.

const groupsOfRealm = defineCache<number, RealmGroups>({
  dependsOn: ['userGroups', 'userGroupMembers', 'userGroupSubgroups'],
  limit: 1000,
  load: loadRealmGroups,
})

async function loadRealmGroups(db: Db, realmId: number): Promise<RealmGroups> {
  const rows = await db.selectFrom('userGroups').selectAll().where('realmId', '=', realmId).orderBy('id').execute()
  const members = await db
    .selectFrom('userGroupMembers')
    .innerJoin('userGroups', 'userGroups.id', 'groupId')
    .select(['groupId', 'userId'])
    .where('realmId', '=', realmId)
    .execute()
  const subgroups = await db
    .selectFrom('userGroupSubgroups')
    .innerJoin('userGroups', 'userGroups.id', 'groupId')
    .select(['groupId', 'subgroupId'])
    .where('realmId', '=', realmId)
    .orderBy('subgroupId')
    .execute()

  const membersOf = Map.groupBy(members, (member) => member.groupId)
  const subgroupsOf = Map.groupBy(subgroups, (subgroup) => subgroup.groupId)
  const systemId = Object.fromEntries(rows.map((row) => [row.systemName, row.id])) as RealmGroups['systemId']
  const groups = rows.map((row): Group => {
    const systemName = row.systemName as SystemGroupName | null
    return {
      ...row,
      systemName,
      settings: readGroupSettings(row.settings, row.creatorId),
      memberIds: new Set(membersOf.get(row.id)?.map((member) => member.userId)),
      subgroupIds:
        systemName === null
          ? (subgroupsOf.get(row.id)?.map((subgroup) => subgroup.subgroupId) ?? [])
          : systemSubgroups[systemName].map((name) => systemId[name]),
    }
  })
  return { byId: new Map(groups.map((group) => [group.id, group])), systemId }
}

export function findRealmGroups(db: Db, realmId: number): RealmGroups | Promise<RealmGroups> {
  return groupsOfRealm.get(db, realmId)
}

/** Returns the organization's current groups and locks them until the transaction ends. */
export async function lockRealmGroups(tx: Transaction, realmId: number): Promise<RealmGroups> {
  await tx.db.selectFrom('realms').select('id').where('id', '=', realmId).forNoKeyUpdate().execute()
  bypassCaches(tx)
  return loadRealmGroups(tx.db, realmId)
}

/** Creates the eight system groups of a new organization. */
export async function saveSystemGroups(tx: Transaction, realmId: number): Promise<void> {
  const rows = systemGroupNames.map((name) => ({
    realmId,
    name,
    systemName: name,
    description: systemGroupDescriptions[name],
    creatorId: null,
    createdAt: tx.now,
    deactivatedAt: null,
    settings: '{}',
  }))
  await tx.insertInto('userGroups').values(rows).execute()
}

type NewGroup = {
  realmId: number
  name: string
  description: string
  creatorId: number
  settings: Partial<GroupSettings>
  memberIds: readonly number[]
  subgroupIds: readonly number[]
}

export async function saveGroup(tx: Transaction, group: NewGroup): Promise<number> {
  const { id } = await tx
    .insertInto('userGroups')
    .values({
      realmId: group.realmId,
      name: group.name,
      description: group.description,
      systemName: null,
      creatorId: group.creatorId,
      createdAt: tx.now,
      deactivatedAt: null,
      settings: JSON.stringify(group.settings),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await saveGroupMembers(tx, id, group.memberIds)
  await saveSubgroups(tx, id, group.subgroupIds)
  return id
}

export async function saveGroupFields(
  tx: Transaction,
  groupId: number,
  fields: Partial<Pick<Group, 'name' | 'description' | 'createdAt' | 'deactivatedAt'>>,
): Promise<void> {
  await tx.updateTable('userGroups').set(fields).where('id', '=', groupId).execute()
}

/** Updates the given settings; all others stay unchanged. */
export async function saveGroupSettings(
  tx: Transaction,
  groupId: number,
  changed: Partial<GroupSettings>,
): Promise<void> {
  const row = await tx.db
    .selectFrom('userGroups')
    .select('settings')
    .where('id', '=', groupId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const merged = { ...(JSON.parse(row.settings) as Partial<GroupSettings>), ...changed }
  await tx
    .updateTable('userGroups')
    .set({ settings: JSON.stringify(merged) })
    .where('id', '=', groupId)
    .execute()
}

/** Adds direct members. Users who are members already are skipped. */
export async function saveGroupMembers(tx: Transaction, groupId: number, userIds: readonly number[]): Promise<void> {
  if (userIds.length === 0) return
  const rows = userIds.map((userId) => ({ groupId, userId }))
  await tx
    .insertInto('userGroupMembers')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function deleteGroupMembers(tx: Transaction, groupId: number, userIds: readonly number[]): Promise<void> {
  await tx.deleteFrom('userGroupMembers').where('groupId', '=', groupId).where('userId', 'in', userIds).execute()
}

/** Adds direct subgroups. Groups that are subgroups already are skipped. */
export async function saveSubgroups(tx: Transaction, groupId: number, subgroupIds: readonly number[]): Promise<void> {
  if (subgroupIds.length === 0) return
  const rows = subgroupIds.map((subgroupId) => ({ groupId, subgroupId }))
  await tx
    .insertInto('userGroupSubgroups')
    .values(rows)
    .onConflict((on) => on.doNothing())
    .execute()
}

export async function deleteSubgroups(tx: Transaction, groupId: number, subgroupIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('userGroupSubgroups')
    .where('groupId', '=', groupId)
    .where('subgroupId', 'in', subgroupIds)
    .execute()
}
