import { hashSecret, randomLetters } from '#lib/secrets.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { recordAudit } from './audit.ts'

// The token with which the directory of an organization provisions its accounts by SCIM. An organization has at most
// one. Only its hash is stored, so it is shown once. It works from the next request on, and stops with its deletion, on
// every node.

const TOKEN_LENGTH = 43

export type ScimToken = { realmId: number; creatorId: number | null; createdAt: number; lastUsedAt: number | null }

const columns = ['realmId', 'creatorId', 'createdAt', 'lastUsedAt'] as const

/** Returns the id of the organization to which the token belongs; null if it belongs to none. */
export async function findRealmIdOfScimToken(db: Db, token: string): Promise<number | null> {
  const hash = hashSecret(token)
  const row = await db.selectFrom('scimTokens').select('realmId').where('tokenHash', '=', hash).executeTakeFirst()
  return row?.realmId ?? null
}

export async function findScimToken(db: Db, realmId: number): Promise<ScimToken | null> {
  const row = await db.selectFrom('scimTokens').select(columns).where('realmId', '=', realmId).executeTakeFirst()
  return row ?? null
}

/** Gives the organization a new token, which replaces the one it has, and returns it. */
export async function saveScimToken(tx: Transaction, realmId: number, creatorId: number | null): Promise<string> {
  const token = randomLetters(tx.random, TOKEN_LENGTH)
  const row = { tokenHash: hashSecret(token), creatorId, createdAt: tx.now, lastUsedAt: null }
  await tx
    .insertInto('scimTokens')
    .values({ realmId, ...row })
    .onConflict((on) => on.column('realmId').doUpdateSet(row))
    .execute()
  await recordAudit(tx, realmId, 'scim_token_created', {})
  return token
}

/** Deletes the token of the organization. Returns false if it has none. */
export async function deleteScimToken(tx: Transaction, realmId: number): Promise<boolean> {
  const deleted = await tx.deleteFrom('scimTokens').where('realmId', '=', realmId).returning('realmId').execute()
  if (deleted.length > 0) await recordAudit(tx, realmId, 'scim_token_deleted', {})
  return deleted.length > 0
}

/** The time of the last use is exact to this many seconds, so that most requests write nothing. */
const USE_INTERVAL = 3600

/** Returns whether the time of the last use must be saved. */
export const isUseDue = ({ lastUsedAt }: ScimToken, now: number): boolean =>
  lastUsedAt === null || lastUsedAt < now - USE_INTERVAL

export async function saveScimTokenUse(tx: Transaction, realmId: number): Promise<void> {
  await tx.updateTable('scimTokens').set({ lastUsedAt: tx.now }).where('realmId', '=', realmId).execute()
}
