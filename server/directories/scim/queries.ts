import type { Db, Transaction } from '#storage/storage.ts'

// The rows in which the server keeps what only directories know of accounts and groups: their ids for them, and which
// accounts they have deleted.

export type DirectoryUser = { externalId: string | null; deletedAt: number | null }

/** Returns what the directory of an organization has saved about its accounts, by their ids; of one account, if given. */
export async function findDirectoryUsers(
  db: Db,
  realmId: number,
  userId: number | null = null,
): Promise<ReadonlyMap<number, DirectoryUser>> {
  let query = db
    .selectFrom('scimUsers')
    .innerJoin('users', 'users.id', 'userId')
    .select(['userId', 'externalId', 'deletedAt'])
    .where('realmId', '=', realmId)
  if (userId !== null) query = query.where('userId', '=', userId)
  return new Map((await query.execute()).map(({ userId: id, ...row }) => [id, row]))
}

export async function saveDirectoryUser(
  tx: Transaction,
  userId: number,
  fields: Partial<DirectoryUser>,
): Promise<void> {
  await tx
    .insertInto('scimUsers')
    .values({ userId, externalId: null, deletedAt: null, ...fields })
    .onConflict((on) => on.column('userId').doUpdateSet(fields))
    .execute()
}

/** Returns the ids that the directory has for the groups of the organization. */
export async function findExternalGroupIds(db: Db, realmId: number): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db
    .selectFrom('scimGroups')
    .innerJoin('userGroups', 'userGroups.id', 'groupId')
    .select(['groupId', 'externalId'])
    .where('realmId', '=', realmId)
    .execute()
  return new Map(rows.map(({ groupId, externalId }) => [groupId, externalId]))
}

export async function saveExternalGroupId(tx: Transaction, groupId: number, externalId: string | null): Promise<void> {
  await tx
    .insertInto('scimGroups')
    .values({ groupId, externalId })
    .onConflict((on) => on.column('groupId').doUpdateSet({ externalId }))
    .execute()
}
