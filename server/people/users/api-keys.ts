import { hashSecret, randomLetters } from '#lib/security/secrets.ts'
import { defineCache } from '#storage/cache.ts'
import { defineQuery } from '#storage/prepared-query.ts'
import type { Db, Transaction } from '#storage/storage.ts'

/**
 * The maximum number of API keys that an account's owner created on purpose, and the maximum number of keys that
 * programs got with the password. Logging in never deletes a key that was created on purpose.
 */
export const MAX_API_KEYS = 20

const KEY_LENGTH = 32

export const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/

export type ApiKey = {
  id: number
  userId: number
  hash: string
  client: string
  createdAt: number
  /** True if a program got the key with the account's password. */
  isFromLogin: boolean
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

/** Returns the API key with this SHA-256 hash, in any organization. */
export function findApiKeyByHash(
  db: Db,
  hash: string,
): { id: number; userId: number; hash: string } | null | Promise<{ id: number; userId: number; hash: string } | null> {
  return apiKeyByHash.get(db, hash)
}

/** Returns the API keys of an account, most recently used first. */
export async function findApiKeys(db: Db, userId: number): Promise<ApiKey[]> {
  const keys = await db
    .selectFrom('apiKeys')
    .leftJoin('apiKeyUses', 'apiKeyUses.apiKeyId', 'apiKeys.id')
    .select(['id', 'userId', 'hash', 'client', 'createdAt', 'isFromLogin', 'lastUsedAt'])
    .where('userId', '=', userId)
    .orderBy((is) => is.fn.coalesce('lastUsedAt', 'createdAt'), 'desc')
    .orderBy('id', 'desc')
    .execute()
  return keys.map((key) => ({ ...key, isFromLogin: key.isFromLogin === 1 }))
}

/** Prevents other transactions from adding keys to the account until this transaction ends. */
async function lockKeys(tx: Transaction, userId: number): Promise<void> {
  await tx.db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
}

/**
 * Adds an API key to the account and returns it. Only its hash is stored, so the key cannot be shown again. If the
 * account has too many keys, the least recently used one is deleted; a login replaces a key of the same client first.
 */
export async function issueApiKey(
  tx: Transaction,
  userId: number,
  client: string,
  { isFromLogin = false }: { isFromLogin?: boolean } = {},
): Promise<string> {
  await lockKeys(tx, userId)
  const keys = (await findApiKeys(tx.db, userId)).filter((key) => key.isFromLogin === isFromLogin)
  const isReplaced = (key: ApiKey) => isFromLogin && key.client === client
  const inOrder = [...keys.filter((key) => !isReplaced(key)), ...keys.filter(isReplaced)]
  await deleteApiKeys(
    tx,
    inOrder.slice(MAX_API_KEYS - 1).map(({ id }) => id),
  )
  const key = randomLetters(tx.random, KEY_LENGTH)
  await tx
    .insertInto('apiKeys')
    .values({ userId, hash: hashSecret(key), client, createdAt: tx.now, isFromLogin: isFromLogin ? 1 : 0 })
    .execute()
  return key
}

/** Deletes the keys. Requests that use them are refused from then on. */
export async function deleteApiKeys(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('apiKeyUses').where('apiKeyId', 'in', ids).execute()
  await tx.deleteFrom('apiKeys').where('id', 'in', ids).execute()
}

/** Deletes all API keys of the account and issues a new one. */
export async function replaceApiKeys(tx: Transaction, userId: number, client: string): Promise<string> {
  await deleteAllApiKeys(tx, userId)
  return issueApiKey(tx, userId, client)
}

export async function deleteAllApiKeys(tx: Transaction, userId: number): Promise<void> {
  await lockKeys(tx, userId)
  const keys = await findApiKeys(tx.db, userId)
  await deleteApiKeys(
    tx,
    keys.map((key) => key.id),
  )
}
