import type { Clock } from '../../platform/runtime/clock.ts'
import type { Log } from '../../platform/runtime/log.ts'
import type { RunTransaction, Storage, Transaction } from '../../platform/storage/storage.ts'
import { issueApiKey } from './api-keys.ts'

/** Seconds after which the last use of a key is written. */
const WRITE_DELAY = 60

/** The same where other nodes give out keys as well: which of them ends for a new one, they know by what is written. */
const WRITE_DELAY_AMONG_NODES = 1

/** Remembers when each API key was used last. */
export type KeyUses = {
  /** Notes a use; costs no query. */
  recordUse(apiKeyId: number): void
  /** Writes what is not written yet. */
  flush(): Promise<void>
}

/**
 * `issueApiKey` where keys are in use: none ends for a use of which the database does not know yet. `check` may refuse, in
 * the same transaction.
 */
export async function flushAndIssueApiKey(
  { keyUses, transaction }: { keyUses: KeyUses; transaction: RunTransaction },
  userId: number,
  client: string,
  check?: (tx: Transaction) => Promise<void>,
): Promise<string> {
  await keyUses.flush()
  return transaction(async (tx) => {
    await check?.(tx)
    return issueApiKey(tx, userId, client)
  })
}

/** Uses are written together, at most a minute late; a second where other nodes may serve the same database. */
export function openKeyUses(options: { storage: Storage; clock: Clock; log: Log }): KeyUses {
  const { storage, clock, log } = options
  const { transaction, isShared } = storage
  const delay = isShared ? WRITE_DELAY_AMONG_NODES : WRITE_DELAY
  let uses = new Map<number, number>()
  let cancelTimer: (() => void) | null = null

  async function write(): Promise<void> {
    cancelTimer?.()
    cancelTimer = null
    // In one order everywhere, so that two nodes never wait for each other's rows.
    const rows = Array.from(uses, ([apiKeyId, lastUsedAt]) => ({ apiKeyId, lastUsedAt })).sort(
      (one, other) => one.apiKeyId - other.apiKeyId,
    )
    uses = new Map()
    if (rows.length === 0) return
    try {
      await transaction(async (tx) => {
        const kept = await tx.db
          .selectFrom('apiKeys')
          .select('id')
          .where(
            'id',
            'in',
            rows.map((row) => row.apiKeyId),
          )
          .execute()
        const ids = new Set(kept.map((key) => key.id))
        const lasting = rows.filter((row) => ids.has(row.apiKeyId))
        if (lasting.length === 0) return
        await tx
          .insertInto('apiKeyUses')
          .values(lasting)
          .onConflict((on) =>
            on.column('apiKeyId').doUpdateSet((is) => ({ lastUsedAt: is.ref('excluded.lastUsedAt') })),
          )
          .execute()
      })
    } catch (error) {
      if (storage.isWritable()) log.error({ err: error }, 'The last uses of API keys could not be written')
      // They are with those that are written next.
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
