import { bypassCaches, defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { RETENTION_GRACE_PERIOD } from './message-retention.ts'
import { type Realm, type RealmPictures, realmAddress, SYSTEM_SUBDOMAIN, subdomainOf } from './realm.ts'
import { type RealmSettings, readRealmSettings } from './realm-settings.ts'

// The rows of organizations. Reads come from caches; a transaction that decides by the state of an organization locks
// its row first. Former subdomains lead to the organization until another one takes them.

const realmColumns = [
  'id',
  'subdomain',
  'name',
  'createdAt',
  'deactivatedAt',
  'settings',
  'pictures',
  'demoEndsAt',
] as const

type RealmRow = Omit<Realm, 'settings' | 'pictures'> & { settings: string; pictures: string }

const toRealm = (row: RealmRow): Realm => ({
  ...row,
  settings: readRealmSettings(row.settings),
  pictures: JSON.parse(row.pictures) as RealmPictures,
})

const realmById = defineCache<number, Realm | null>({
  dependsOn: ['realms'],
  limit: 1000,
  async load(db, id) {
    const row = await db.selectFrom('realms').select(realmColumns).where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : toRealm(row)
  },
})

const realmBySubdomain = defineCache<string, Realm | null>({
  dependsOn: ['realms'],
  limit: 1000,
  async load(db, subdomain) {
    const row = await db.selectFrom('realms').select(realmColumns).where('subdomain', '=', subdomain).executeTakeFirst()
    return row === undefined ? null : toRealm(row)
  },
})

export function findRealm(db: Db, id: number): Realm | null | Promise<Realm | null> {
  return realmById.get(db, id)
}

export function findRealmBySubdomain(db: Db, subdomain: string): Realm | null | Promise<Realm | null> {
  return realmBySubdomain.get(db, subdomain)
}

/** Returns the organization that the Host header of a request names; null if there is none. */
export function findAddressedRealm(db: Db, { host }: { host: string }): Realm | null | Promise<Realm | null> {
  return findRealmBySubdomain(db, subdomainOf(host, db.settings.EXTERNAL_URL, db.settings.REALM_HOSTS))
}

/** Returns whether there is any organization apart from that of the system bots, be it in another database. */
export async function hasOrganization(db: Db): Promise<boolean> {
  const here = db.selectFrom('realms').select('id').where('subdomain', '!=', SYSTEM_SUBDOMAIN).limit(1)
  const elsewhere = db.selectFrom('organizationDatabases').select('subdomain').limit(1)
  return ((await here.executeTakeFirst()) ?? (await elsewhere.executeTakeFirst())) !== undefined
}

/** Returns all organizations, oldest first, including that of the system bots. */
export async function findRealms(db: Db): Promise<Realm[]> {
  const rows = await db.selectFrom('realms').select(realmColumns).orderBy('id').execute()
  return rows.map(toRealm)
}

/** Returns the active demo organization that ends next; null if there is none. */
export async function findNextEndOfDemo(db: Db): Promise<{ realmId: number; dueAt: number } | null> {
  const row = await db
    .selectFrom('realms')
    .select(['id', 'demoEndsAt'])
    .where('demoEndsAt', 'is not', null)
    .where('deactivatedAt', 'is', null)
    .orderBy('demoEndsAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : { realmId: row.id, dueAt: row.demoEndsAt ?? 0 }
}

/** Returns whether the server has an active organization other than this one. */
export async function hasOtherRealms(db: Db, realmId: number): Promise<boolean> {
  const row = await db
    .selectFrom('realms')
    .select('id')
    .where('id', '!=', realmId)
    .where('subdomain', '!=', SYSTEM_SUBDOMAIN)
    .where('deactivatedAt', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the current organization, and locks it until the transaction ends. Cached rows may be outdated, because the
 * previous holder of the lock may have changed them. The transaction therefore bypasses the caches from then on.
 */
export async function lockRealm(tx: Transaction, id: number): Promise<Realm> {
  const row = await tx.db
    .selectFrom('realms')
    .select(realmColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  bypassCaches(tx)
  return toRealm(row)
}

/**
 * Locks the organizations that were created after `since` until the transaction ends. `lockRealm` waits for this lock.
 */
export async function lockRealmsSince(tx: Transaction, since: number): Promise<void> {
  await tx.db.selectFrom('realms').select('id').where('createdAt', '>', since).orderBy('id').forNoKeyUpdate().execute()
}

/** Saves a new organization. Returns null if another one has the subdomain, even one that is being created. */
export async function saveRealmIfFree(
  tx: Transaction,
  realm: { subdomain: string; name: string },
): Promise<Realm | null> {
  const row = await tx
    .insertInto('realms')
    .values({ ...realm, createdAt: tx.now, deactivatedAt: null, settings: '{}', pictures: '{}' })
    .onConflict((on) => on.column('subdomain').doNothing())
    .returning(realmColumns)
    .executeTakeFirst()
  return row === undefined ? null : toRealm(row)
}

/** Saves a new organization with a subdomain that is known to be free. */
export async function saveRealm(tx: Transaction, realm: { subdomain: string; name: string }): Promise<Realm> {
  const saved = await saveRealmIfFree(tx, realm)
  if (saved === null) throw new Error(`There is already an organization with the subdomain ${realm.subdomain}`)
  return saved
}

/**
 * Updates the given settings; all others stay unchanged. A new retention period takes effect after the grace period.
 */
export async function saveRealmSettings(
  tx: Transaction,
  realmId: number,
  changed: Partial<RealmSettings>,
): Promise<void> {
  const { settings } = await tx.db
    .selectFrom('realms')
    .select('settings')
    .where('id', '=', realmId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const merged = { ...(JSON.parse(settings) as Partial<RealmSettings>), ...changed }
  const retentionFrom =
    changed.message_retention_days === undefined ? {} : { retentionFrom: tx.now + RETENTION_GRACE_PERIOD }
  await tx
    .updateTable('realms')
    .set({ settings: JSON.stringify(merged), ...retentionFrom })
    .where('id', '=', realmId)
    .execute()
}

export async function saveRealmPictures(tx: Transaction, realmId: number, pictures: RealmPictures): Promise<void> {
  await tx
    .updateTable('realms')
    .set({ pictures: JSON.stringify(pictures) })
    .where('id', '=', realmId)
    .execute()
}

export async function saveRealmFields(
  tx: Transaction,
  realmId: number,
  fields: Partial<Pick<Realm, 'subdomain' | 'name' | 'createdAt' | 'deactivatedAt' | 'demoEndsAt'>>,
): Promise<void> {
  await tx.updateTable('realms').set(fields).where('id', '=', realmId).execute()
}

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

/** Returns the subdomains that lead to the organization since it was renamed. */
export async function findRedirects(db: Db, realmId: number): Promise<string[]> {
  const rows = await db.selectFrom('realmRedirects').select('subdomain').where('realmId', '=', realmId).execute()
  return rows.map(({ subdomain }) => subdomain)
}

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
