import type { Db, Transaction } from '#storage/storage.ts'
import type { ExternalIdentity } from './pending-sign-ins.ts'

// The accounts of other services with which users sign in. A provider and the id of a person there name at most one
// account of an organization. Addresses are not part of it: an address may change at the provider, or belong to another
// person later.

/** Returns the id of the account that the identity belongs to; null if it belongs to none. */
export async function findUserIdOfIdentity(
  db: Db,
  realmId: number,
  { provider, subject }: Pick<ExternalIdentity, 'provider' | 'subject'>,
): Promise<number | null> {
  const row = await db
    .selectFrom('externalIdentities')
    .select('userId')
    .where('realmId', '=', realmId)
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row?.userId ?? null
}

/**
 * Records that the user signed in with the identity, which belongs to their account from now on. Returns false and
 * changes nothing if it belongs to another account.
 */
export async function saveExternalIdentity(
  tx: Transaction,
  { id: userId, realmId }: { id: number; realmId: number },
  { provider, subject }: Pick<ExternalIdentity, 'provider' | 'subject'>,
): Promise<boolean> {
  const row = { realmId, provider, subject, userId, createdAt: tx.now, lastUsedAt: tx.now }
  const saved = await tx
    .insertInto('externalIdentities')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['realmId', 'provider', 'subject'])
        .doUpdateSet({ lastUsedAt: tx.now })
        .where('externalIdentities.userId', '=', userId),
    )
    .returning('id')
    .execute()
  return saved.length > 0
}

/** Returns the ids of the providers with which the user has signed in, each with the time of the last use. */
export async function findIdentitiesOf(
  db: Db,
  userId: number,
): Promise<{ id: number; provider: string; createdAt: number; lastUsedAt: number }[]> {
  return db
    .selectFrom('externalIdentities')
    .select(['id', 'provider', 'createdAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
}

/** Deletes the identities of a user, who may connect them again. */
export async function deleteIdentitiesOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('externalIdentities').where('userId', '=', userId).execute()
}

/** Returns the number of active accounts of the organization that have signed in with each provider. */
export async function countUsersByProvider(db: Db, realmId: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('externalIdentities')
    .innerJoin('users', 'users.id', 'externalIdentities.userId')
    .select((from) => ['externalIdentities.provider', from.fn.count<number>('users.id').distinct().as('count')])
    .where('externalIdentities.realmId', '=', realmId)
    .where('users.deactivatedAt', 'is', null)
    .groupBy('externalIdentities.provider')
    .execute()
  return new Map(rows.map(({ provider, count }) => [provider, Number(count)]))
}

/** Deletes the identities of a provider that no longer exists. */
export async function deleteIdentitiesOf(tx: Transaction, realmId: number, provider: string): Promise<void> {
  await tx.deleteFrom('externalIdentities').where('realmId', '=', realmId).where('provider', '=', provider).execute()
}
