import { createHmac, type KeyObject } from 'node:crypto'
import type { Db, Transaction } from '#storage/storage.ts'

/** Seconds after the last login until a network or a browser is forgotten. */
const KNOWN_ORIGIN_LIFETIME = 180 * 86_400

/** The age, in seconds, at which the stored time of the last login is updated. */
const RENEWAL_AGE = 30 * 86_400

/**
 * The maximum number of networks and browsers, together, that are remembered for an account. A further one replaces the
 * least recently used one.
 */
const MAX_ORIGINS = 50

/**
 * Returns the stored form of a network. It is a keyed hash, so that neither the database nor a copy of it reveals where
 * users are.
 */
export function networkKey(secret: KeyObject, userId: number, network: string): string {
  return createHmac('sha256', secret).update(`known place ${userId} ${network}`).digest('base64url')
}

/** Returns the stored form of a browser, given the name that `browserName` returns. */
export const browserKey = (browser: string): string => `browser ${browser}`

/**
 * Returns the time of the user's last login from this network or browser; null if there was none or it has been
 * forgotten.
 */
export async function findLastLoginFrom(db: Db, userId: number, key: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('knownPlaces')
    .select('lastAt')
    .where('userId', '=', userId)
    .where('place', '=', key)
    .where('lastAt', '>', now - KNOWN_ORIGIN_LIFETIME)
    .executeTakeFirst()
  return row?.lastAt ?? null
}

/** Returns whether at least one browser of the user is remembered. */
export async function hasKnownBrowser(db: Db, userId: number): Promise<boolean> {
  const row = await db
    .selectFrom('knownPlaces')
    .select('place')
    .where('userId', '=', userId)
    .where('place', 'like', `${browserKey('')}%`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const isDueForSaving = (lastAt: number | null, now: number): boolean =>
  lastAt === null || lastAt < now - RENEWAL_AGE

/** Records a login of the user from this network or browser at the current time. */
export async function saveLoginFrom(tx: Transaction, userId: number, key: string): Promise<void> {
  const row = { userId, place: key, lastAt: tx.now }
  await tx
    .insertInto('knownPlaces')
    .values(row)
    .onConflict((on) => on.columns(['userId', 'place']).doUpdateSet({ lastAt: tx.now }))
    .execute()
  const excess = await tx.db
    .selectFrom('knownPlaces')
    .select('place')
    .where('userId', '=', userId)
    .orderBy('lastAt', 'desc')
    .orderBy('place')
    .limit(MAX_ORIGINS)
    .offset(MAX_ORIGINS)
    .execute()
  const origins = excess.map((one) => one.place)
  if (origins.length === 0) return
  await tx.deleteFrom('knownPlaces').where('userId', '=', userId).where('place', 'in', origins).execute()
}

/**
 * Forgets all networks of the user. Browsers stay known, so that users get emails only about logins in new browsers.
 */
export async function deleteKnownNetworks(tx: Transaction, userId: number): Promise<void> {
  await tx
    .deleteFrom('knownPlaces')
    .where('userId', '=', userId)
    .where('place', 'not like', `${browserKey('')}%`)
    .execute()
}
