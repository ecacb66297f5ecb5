import { createHmac, type KeyObject } from 'node:crypto'
import type { Db, Transaction } from '../../../platform/storage/storage.ts'

/** For how long a place is known after the password was given there last. */
const KNOWN_FOR = 180 * 86_400

/** How old the time of the last password may be before it is written again. */
const RENEWED_AFTER = 30 * 86_400

/** Of one account; the one that was used least recently is forgotten for another. */
const MAX_NETWORKS = 50

/** What is stored of a place: neither the database nor a copy of it tells where people are. */
export function networkKey(secret: KeyObject, userId: number, network: string): string {
  return createHmac('sha256', secret).update(`known place ${userId} ${network}`).digest('base64url')
}

/** When the password of the account was given from the place last; null where that is unknown, or too long ago. */
export async function findKnownNetwork(db: Db, userId: number, place: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('knownPlaces')
    .select('lastAt')
    .where('userId', '=', userId)
    .where('place', '=', place)
    .where('lastAt', '>', now - KNOWN_FOR)
    .executeTakeFirst()
  return row?.lastAt ?? null
}

export const isDueForSaving = (lastAt: number | null, now: number): boolean =>
  lastAt === null || lastAt < now - RENEWED_AFTER

/** Notes that the password of the account was given from the place now. */
export async function saveKnownNetwork(tx: Transaction, userId: number, place: string): Promise<void> {
  const row = { userId, place, lastAt: tx.now }
  await tx
    .insertInto('knownPlaces')
    .values(row)
    .onConflict((on) => on.columns(['userId', 'place']).doUpdateSet({ lastAt: tx.now }))
    .execute()
  const superfluous = await tx.db
    .selectFrom('knownPlaces')
    .select('place')
    .where('userId', '=', userId)
    .orderBy('lastAt', 'desc')
    .orderBy('place')
    .limit(MAX_NETWORKS)
    .offset(MAX_NETWORKS)
    .execute()
  const places = superfluous.map((one) => one.place)
  if (places.length === 0) return
  await tx.deleteFrom('knownPlaces').where('userId', '=', userId).where('place', 'in', places).execute()
}

export async function deleteKnownNetworks(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('knownPlaces').where('userId', '=', userId).execute()
}
