import type { Db, Transaction } from '#storage/storage.ts'
import type { ExternalIdentity } from './pending-sign-ins.ts'

// The accounts of other services with which users sign in. A provider, its issuer and the id of a person there name at most
// one account of an organization. The issuer is part of it because ids of people are those of the issuer: under another
// one, the same id is another person. Addresses are not part of it: an address may change at the provider, or belong to
// another person later.
//
// Rows of before the issuer was stored have none. Providers of owners lost their identities with each change of the issuer
// then, so their rows count. A provider of the operator may have had another issuer, so the id alone proves nothing: such a
// row belongs to the person if they also have the verified address of its account. Otherwise, the owner of its account
// confirms the connection once more. The row gets the issuer at the next sign-in.

/** The beginning of the ids of providers that owners have added. */
export const OWNERS_PREFIX = 'own-'

type IdentityKey = Pick<ExternalIdentity, 'provider' | 'issuer' | 'subject'>

/**
 * Returns the account that the identity belongs to; null if it belongs to none. `isCertain` is false if the owner of the
 * account has to confirm the connection first.
 */
export async function findOwnerOfIdentity(
  db: Db,
  realmId: number,
  { provider, issuer, subject, email }: IdentityKey & Pick<ExternalIdentity, 'email'>,
): Promise<{ userId: number; isCertain: boolean } | null> {
  const rows = await db
    .selectFrom('externalIdentities')
    .innerJoin('users', 'users.id', 'externalIdentities.userId')
    .select(['userId', 'issuer', 'emailKey'])
    .where('externalIdentities.realmId', '=', realmId)
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .where((is) => is.or([is('issuer', '=', issuer), is('issuer', 'is', null)]))
    .execute()
  const key = email?.toLowerCase()
  const certain = rows.find((row) => row.issuer !== null || provider.startsWith(OWNERS_PREFIX) || row.emailKey === key)
  const found = certain ?? rows[0]
  return found === undefined ? null : { userId: found.userId, isCertain: certain !== undefined }
}

/**
 * Records that the user signed in with the identity, which belongs to their account from now on. Returns false and
 * changes nothing if it belongs to another account. The account must be locked.
 */
export async function saveExternalIdentity(
  tx: Transaction,
  { id: userId, realmId }: { id: number; realmId: number },
  { provider, issuer, subject }: IdentityKey,
): Promise<boolean> {
  await tx
    .updateTable('externalIdentities')
    .set({ issuer })
    .where('realmId', '=', realmId)
    .where('provider', '=', provider)
    .where('subject', '=', subject)
    .where('issuer', 'is', null)
    .where('userId', '=', userId)
    .execute()
  const row = { realmId, provider, issuer, subject, userId, createdAt: tx.now, lastUsedAt: tx.now }
  const saved = await tx
    .insertInto('externalIdentities')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['realmId', 'provider', 'subject', 'issuer'])
        .doUpdateSet({ lastUsedAt: tx.now })
        .where('externalIdentities.userId', '=', userId),
    )
    .returning('id')
    .execute()
  return saved.length > 0
}

type IssuerRow = { provider: string; issuer: string | null }

/** Returns whether a row belongs to the provider as it is now, and not to another issuer that it had before. */
export const isOfProvider = (row: IssuerRow, { id, issuer }: { id: string; issuer: string }): boolean =>
  row.provider === id && row.issuer === issuer

/** Returns the providers with which the user has signed in, with their issuers then and the ids of the user there. */
export async function findProvidersUsedBy(db: Db, userId: number): Promise<(IssuerRow & { subject: string })[]> {
  return db
    .selectFrom('externalIdentities')
    .select(['provider', 'issuer', 'subject'])
    .where('userId', '=', userId)
    .execute()
}

/** A connection of a user to an account of another service. */
export type Connection = IssuerRow & { id: number; createdAt: number; lastUsedAt: number }

/** Returns the connections of a user, the oldest first. */
export async function findConnectionsOf(db: Db, userId: number): Promise<Connection[]> {
  return db
    .selectFrom('externalIdentities')
    .select(['id', 'provider', 'issuer', 'createdAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy('id')
    .execute()
}

/** Deletes one connection, which the user may make again. The caller has checked whose it is. */
export async function deleteConnection(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('externalIdentities').where('id', '=', id).execute()
}

/** Returns all accounts that are connected to the provider, by the ids of the users there. */
export async function findUsersOfProvider(
  db: Db,
  realmId: number,
  { id, issuer }: { id: string; issuer: string },
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('externalIdentities')
    .select(['subject', 'userId'])
    .where('realmId', '=', realmId)
    .where('provider', '=', id)
    .where('issuer', '=', issuer)
    .execute()
  return new Map(rows.map(({ subject, userId }) => [subject, userId]))
}

/** Deletes the identities of a user, who may connect them again. */
export async function deleteIdentitiesOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('externalIdentities').where('userId', '=', userId).execute()
}

/** Returns the number of active accounts of the organization that have signed in with each provider and issuer. */
export async function countUsersByProvider(db: Db, realmId: number): Promise<(IssuerRow & { count: number })[]> {
  const rows = await db
    .selectFrom('externalIdentities')
    .innerJoin('users', 'users.id', 'externalIdentities.userId')
    .select((from) => ['provider', 'issuer', from.fn.count<number>('users.id').distinct().as('count')])
    .where('externalIdentities.realmId', '=', realmId)
    .where('users.deactivatedAt', 'is', null)
    .groupBy(['provider', 'issuer'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

/** Deletes all identities of the user at the issuer except the given one. Returns whether there were any. */
export async function deleteOtherIdentities(
  tx: Transaction,
  userId: number,
  { provider, issuer, subject }: IdentityKey,
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('externalIdentities')
    .where('userId', '=', userId)
    .where('provider', '=', provider)
    .where('issuer', '=', issuer)
    .where('subject', '!=', subject)
    .returning('id')
    .execute()
  return deleted.length > 0
}

/** Deletes the identities of a provider that no longer exists. */
export async function deleteIdentitiesOf(tx: Transaction, realmId: number, provider: string): Promise<void> {
  await tx.deleteFrom('externalIdentities').where('realmId', '=', realmId).where('provider', '=', provider).execute()
}
