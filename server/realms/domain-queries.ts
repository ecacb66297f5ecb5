import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/**
 * A domain that the addresses of new accounts may have. It applies if the organization restricts addresses to its
 * domains.
 */
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

/** Deletes a domain. Returns false if the organization did not have it. */
export async function deleteRealmDomain(tx: Transaction, realmId: number, domain: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('realmDomains')
    .where('realmId', '=', realmId)
    .where('domain', '=', domain.toLowerCase())
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
