import type { Log } from '#lib/runtime/log.ts'
import type { RunTransaction, Transaction } from '#storage/storage.ts'
import { findCeiling, lowerCeiling, saveCeiling } from './queries.ts'
import type { RealmBoard } from './realm-board.ts'

/** The number of update ids that are reserved at a time. A crash skips at most this many. */
const RESERVE_SIZE = 1000

/** Commits a ceiling for update ids before any id below it is used, so that a restarted server never reuses an id. */
type IdReserve = {
  /** Reserves more ids for the board. Resolves when its ceiling has been raised. */
  raise(board: RealmBoard): Promise<void>
  /** Starts to raise the ceiling before all ids below it are used. */
  topUp(board: RealmBoard): void
  /** Resolves when no ids are being reserved. */
  whenIdle(): Promise<void>
  /** Lowers each ceiling to the last id that was used, so that ids continue without a gap after a restart. */
  returnUnused(tx: Transaction, boards: readonly RealmBoard[]): Promise<void>
}

export function openIdReserve({ transaction, log }: { transaction: RunTransaction; log: Log }): IdReserve {
  const pendingRaises = new Map<RealmBoard, Promise<void>>()

  async function reserve(board: RealmBoard): Promise<void> {
    try {
      const { found, newCeiling } = await transaction(async (tx) => {
        const found = await findCeiling(tx.db, board.realmId)
        const newCeiling = Math.max(found, board.ceiling) + RESERVE_SIZE
        await saveCeiling(tx, board.realmId, newCeiling)
        return { found, newCeiling }
      })
      board.raiseCeiling(found, newCeiling)
    } finally {
      pendingRaises.delete(board)
    }
  }

  function raise(board: RealmBoard): Promise<void> {
    const running = pendingRaises.get(board) ?? reserve(board)
    pendingRaises.set(board, running)
    return running
  }

  return {
    raise,
    topUp(board) {
      if (board.ceiling - board.lastId > RESERVE_SIZE / 2 || pendingRaises.has(board)) return
      raise(board).catch((error) => log.error({ err: error }, 'Failed to reserve presence update ids'))
    },
    async whenIdle() {
      await Promise.allSettled(pendingRaises.values())
    },
    async returnUnused(tx, boards) {
      for (const board of boards) {
        const { realmId, ceiling, lastId } = board
        board.releaseReserve()
        if (lastId < ceiling) await lowerCeiling(tx, realmId, ceiling, lastId)
      }
    },
  }
}
