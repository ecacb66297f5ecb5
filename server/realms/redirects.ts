import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Realm, realmAddress } from './realm.ts'

const redirects = defineCache<string, number | null>({
  dependsOn: ['realmRedirects'],
  limit: 1000,
  async load(db, subdomain) {
    const row = await db
      .selectFrom('realmRedirects')
      .select('realmId')
      .where('subdomain', '=', subdomain)
      .executeTakeFirst()
    return row?.realmId ?? null
  },
})

/** Returns the id of the organization that had this subdomain before it was renamed; null if there is none. */
export function findRedirect(db: Db, subdomain: string): number | null | Promise<number | null> {
  return redirects.get(db, subdomain)
}

const formerSubdomains = defineCache<number, readonly string[]>({
  dependsOn: ['realmRedirects', 'realms'],
  limit: 1000,
  async load(db, realmId) {
    const rows = await db
      .selectFrom('realmRedirects')
      .select('subdomain')
      .where('realmId', '=', realmId)
      .where('subdomain', 'not in', db.selectFrom('realms').select('subdomain'))
      .orderBy('subdomain')
      .execute()
    return rows.map(({ subdomain }) => subdomain)
  },
})

/**
 * Returns the URLs of the organization: its current one, and former ones whose subdomains no other organization has
 * taken.
 */
export async function findRealmUrls(db: Db, { id, subdomain }: Realm): Promise<string[]> {
  const subdomains = [subdomain, ...(await formerSubdomains.get(db, id))]
  return subdomains.map((each) => realmAddress(each, db.settings.EXTERNAL_URL).url)
}

/** Saves a redirect from the old subdomain to the organization, and removes any redirect from its new subdomain. */
export async function saveRedirect(
  tx: Transaction,
  realmId: number,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await tx.deleteFrom('realmRedirects').where('subdomain', '=', to).execute()
  await tx
    .insertInto('realmRedirects')
    .values({ subdomain: from, realmId })
    .onConflict((on) => on.column('subdomain').doUpdateSet({ realmId }))
    .execute()
}
