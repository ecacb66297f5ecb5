import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The directory of an installation with several databases: which organizations are in another database than the first,
// by all subdomains that lead to them. It is in the first database, and empty where there is only one.

/** Where an organization is. While it moves, nobody reaches it. */
export type Place = { database: number; movingSince: number | null }

const places = defineCache<string, Place | null>({
  dependsOn: ['organizationDatabases'],
  limit: 10_000,
  async load(db, subdomain) {
    const rows = db.selectFrom('organizationDatabases').select(['database', 'movingSince'])
    return (await rows.where('subdomain', '=', subdomain).executeTakeFirst()) ?? null
  },
})

/** Returns where the organization with the subdomain is; null unless it is in another database, or moves. */
export function findPlace(db: Db, subdomain: string): Place | null | Promise<Place | null> {
  return places.get(db, subdomain)
}

/** Returns all subdomains of organizations that are in another database, or that move. */
export async function findPlaces(db: Db): Promise<ReadonlyMap<string, Place>> {
  const rows = await db.selectFrom('organizationDatabases').selectAll().orderBy('subdomain').execute()
  return new Map(rows.map(({ subdomain, ...place }) => [subdomain, place]))
}

/** Saves where these subdomains lead. Number 0 is the first database. */
export async function savePlaces(tx: Transaction, subdomains: readonly string[], place: Place): Promise<void> {
  await tx.deleteFrom('organizationDatabases').where('subdomain', 'in', subdomains).execute()
  if (place.database === 0 && place.movingSince === null) return
  const rows = subdomains.map((subdomain) => ({ subdomain, ...place }))
  await tx.insertInto('organizationDatabases').values(rows).execute()
}
