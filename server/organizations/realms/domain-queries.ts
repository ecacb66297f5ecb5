import { defineCache } from '../../platform/storage/cache.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** A domain whose email addresses may join the organization, if it restricts addresses to certain domains. */
export type RealmDomain = { domain: string; allowsSubdomains: boolean }

const domainsOfRealm = defineCache<number, readonly RealmDomain[]>({
  dependsOn: ['realmDomains'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('realmDomains')
      .selectAll()
      .where('realmId', '=', realmId)
      .orderBy('domain')
      .execute()
    return rows.map(({ domain, allowSubdomains }) => ({ domain, allowsSubdomains: allowSubdomains === 1 }))
  },
})

/** Returns the domains in alphabetical order. */
export function findRealmDomains(db: Db, realmId: number): readonly RealmDomain[] | Promise<readonly RealmDomain[]> {
  return domainsOfRealm.get(db, realmId)
}

/** Adds or updates a domain. */
export async function saveRealmDomain(tx: Transaction, realmId: number, domain: RealmDomain): Promise<void> {
  const allowSubdomains = domain.allowsSubdomains ? 1 : 0
  await tx
    .insertInto('realmDomains')
    .values({ realmId, domain: domain.domain.toLowerCase(), allowSubdomains })
    .onConflict((on) => on.columns(['realmId', 'domain']).doUpdateSet({ allowSubdomains }))
    .execute()
}

/** Returns false if the domain did not exist. */
export async function deleteRealmDomain(tx: Transaction, realmId: number, domain: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('realmDomains')
    .where('realmId', '=', realmId)
    .where('domain', '=', domain.toLowerCase())
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
