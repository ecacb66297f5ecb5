import { hashSecret, randomLetters } from '../../platform/security/secrets.ts'
import { defineCache } from '../../platform/storage/cache.ts'
import { defineQuery } from '../../platform/storage/prepared-query.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'

/** How many keys an account may have; making another ends the one that was used least recently. */
export const MAX_API_KEYS = 20

const KEY_LENGTH = 32

/** What every API key looks like. */
export const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/

export type ApiKey = {
  id: number
  userId: number
  hash: string
  client: string
  createdAt: number
  lastUsedAt: number | null
}

const keyWithHash = defineQuery((db, hash: string) =>
  db.selectFrom('apiKeys').select(['id', 'userId', 'hash']).where('hash', '=', hash),
)

const apiKeyByHash = defineCache<string, { id: number; userId: number; hash: string } | null>({
  dependsOn: [],
  dependsOnRowsOf: ['apiKeys'],
  limit: 20_000,
  async load(db, hash) {
    return (await keyWithHash(db, hash))[0] ?? null
  },
})

/** The key with this SHA-256, of any organization. */
export function findApiKeyByHash(
  db: Db,
  hash: string,
): { id: number; userId: number; hash: string } | null | Promise<{ id: number; userId: number; hash: string } | null> {
  return apiKeyByHash.get(db, hash)
}

/** The keys of an account, the one used last first. */
export async function findApiKeys(db: Db, userId: number): Promise<ApiKey[]> {
  return db
    .selectFrom('apiKeys')
    .leftJoin('apiKeyUses', 'apiKeyUses.apiKeyId', 'apiKeys.id')
    .select(['id', 'userId', 'hash', 'client', 'createdAt', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy((is) => is.fn.coalesce('lastUsedAt', 'createdAt'), 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Until the transaction ends the account gets no other key. */
async function lockKeys(tx: Transaction, userId: number): Promise<void> {
  await tx.db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/** Gives the account one more key and returns it: the only time that it is seen. */
export async function issueApiKey(tx: Transaction, userId: number, client: string): Promise<string> {
  await lockKeys(tx, userId)
  const superfluous = (await findApiKeys(tx.db, userId)).slice(MAX_API_KEYS - 1)
  await deleteApiKeys(
    tx,
    superfluous.map((key) => key.id),
  )
  const key = randomLetters(tx.random, KEY_LENGTH)
  await tx
    .insertInto('apiKeys')
    .values({ userId, hash: hashSecret(key), client, createdAt: tx.now })
    .execute()
  return key
}

/** Ends the keys: whoever uses one from now on is refused. */
export async function deleteApiKeys(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('apiKeyUses').where('apiKeyId', 'in', ids).execute()
  await tx.deleteFrom('apiKeys').where('id', 'in', ids).execute()
}

/** Ends all keys of the account and gives it a new one. */
export async function replaceApiKeys(tx: Transaction, userId: number, client: string): Promise<string> {
  await deleteAllApiKeys(tx, userId)
  return issueApiKey(tx, userId, client)
}

/** Ends all keys of the account. */
export async function deleteAllApiKeys(tx: Transaction, userId: number): Promise<void> {
  await lockKeys(tx, userId)
  const keys = await findApiKeys(tx.db, userId)
  await deleteApiKeys(
    tx,
    keys.map((key) => key.id),
  )
}
