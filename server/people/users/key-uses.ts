import type { Clock } from '#lib/runtime/clock.ts'
import type { Log } from '#lib/runtime/log.ts'
import type { RunTransaction, Storage, Transaction } from '#storage/storage.ts'
import { issueApiKey } from './api-keys.ts'

/** Seconds until the use of a key is written to the database. */
const WRITE_DELAY = 60

/**
 * Seconds until the use of a key is written to a database that several nodes share. When another node issues a key, it
 * needs recent times to choose the key to delete.
 */
const WRITE_DELAY_AMONG_NODES = 1

/** Records when each API key was last used. */
export type KeyUses = {
  /** Records a use without a query. */
  recordUse(apiKeyId: number): void
  /** Writes all recorded uses to the database. */
  flush(): Promise<void>
}

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
