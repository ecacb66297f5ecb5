import type { Clock } from '#lib/clock.ts'
import type { Log } from '#lib/log.ts'
import { hashSecret, randomLetters } from '#lib/secrets.ts'
import { defineCache } from '#storage/cache.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, RunTransaction, Storage, Transaction } from '#storage/storage.ts'

// API keys. Only their hashes are stored, so a key is shown once. A deleted key stops working with the next request,
// on every node. An account has a limited number of keys; a new one replaces the least recently used. Times of use
// are written in batches.

/**
 * The maximum number of API keys that an account's owner created on purpose, and the maximum number of keys that
 * programs got with the password. Logging in never deletes a key that was created on purpose.
 */
export const MAX_API_KEYS = 20

const KEY_LENGTH = 32

export const API_KEY_PATTERN = /^[A-Za-z0-9]{32}$/

type ApiKey = {
  id: number
  userId: number
  hash: string
  client: string
  createdAt: number
  /** True if a program got the key with the account's password. */
  isFromLogin: boolean
  lastUsedAt: number | null
}

/** Records when each API key was last used. */
export type KeyUses = {
  /** Records a use without a query. */
  recordUse(apiKeyId: number): void
  /** Writes all recorded uses to the database. */
  flush(): Promise<void>
}

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    keyUses: KeyUses
  }
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
export async function lockKeys(tx: Transaction, userId: number): Promise<void> {
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

/** Seconds until the use of a key is written to the database. */
const WRITE_DELAY = 60

/**
 * Seconds until the use of a key is written to a database that several nodes share. When another node issues a key, it
 * needs recent times to choose the key to delete.
 */
const WRITE_DELAY_AMONG_NODES = 1

/**
 * Writes all recorded uses, and then issues an API key. If a key has to be deleted, the least recently used one is
 * chosen correctly. `check` may refuse in the same transaction.
 */
export async function flushAndIssueApiKey(
  { keyUses, transaction }: { keyUses: KeyUses; transaction: RunTransaction },
  userId: number,
  client: string,
  { isFromLogin, check }: { isFromLogin: boolean; check?: (tx: Transaction) => Promise<void> },
): Promise<string> {
  await keyUses.flush()
  return transaction(async (tx) => {
    await check?.(tx)
    return issueApiKey(tx, userId, client, { isFromLogin })
  })
}

/**
 * Opens the record of key uses. Uses are written in batches, at most a minute later. If several nodes share the
 * database, they are written at most a second later.
 */
export function openKeyUses(options: { storage: Storage; clock: Clock; log: Log }): KeyUses {
  const { storage, clock, log } = options
  const { transaction, isShared } = storage
  const delay = isShared ? WRITE_DELAY_AMONG_NODES : WRITE_DELAY
  let uses = new Map<number, number>()
  let cancelTimer: (() => void) | null = null

  async function write(): Promise<void> {
    cancelTimer?.()
    cancelTimer = null
    // Every node writes the rows in the same order, which prevents deadlocks between nodes.
    const rows = Array.from(uses, ([apiKeyId, lastUsedAt]) => ({ apiKeyId, lastUsedAt })).sort(
      (one, other) => one.apiKeyId - other.apiKeyId,
    )
    uses = new Map()
    if (rows.length === 0) return
    try {
      await transaction(async (tx) => {
        const stored = await tx.db
          .selectFrom('apiKeys')
          .select('id')
          .where(
            'id',
            'in',
            rows.map((row) => row.apiKeyId),
          )
          .execute()
        const ids = new Set(stored.map((key) => key.id))
        const remaining = rows.filter((row) => ids.has(row.apiKeyId))
        if (remaining.length === 0) return
        await tx
          .insertInto('apiKeyUses')
          .values(remaining)
          .onConflict((on) =>
            on.column('apiKeyId').doUpdateSet((is) => ({ lastUsedAt: is.ref('excluded.lastUsedAt') })),
          )
          .execute()
      })
    } catch (error) {
      if (storage.isWritable()) log.error({ err: error }, 'Could not save the last use of API keys')
      // The uses are kept for the next write.
      uses = new Map([...rows.map(({ apiKeyId, lastUsedAt }) => [apiKeyId, lastUsedAt] as const), ...uses])
    }
  }

  return {
    recordUse(apiKeyId) {
      uses.set(apiKeyId, clock.now())
      cancelTimer ??= clock.schedule(clock.now() + delay, write)
    },
    flush: write,
  }
}
