import type { Log } from '../platform/runtime/log.ts'
import type { RunTransaction, Transaction } from '../platform/storage/storage.ts'
import { findCeiling, lowerCeiling, saveCeiling } from './queries.ts'
import type { RealmBoard } from './realm-board.ts'

/** How many update ids are reserved at a time: a crash skips so many at most. */
const RESERVE_SIZE = 1000

/** Commits how far update ids may be given out before they are, so that no start of the server gives one again. */
export type IdReserve = {
  /** Resolves when the board may give out more ids than before. */
  raise(board: RealmBoard): Promise<void>
  /** Begins to raise the ceiling while there still are ids below it. */
  topUp(board: RealmBoard): void
  /** Resolves when nothing is being reserved. */
  whenIdle(): Promise<void>
  /** Lowers the ceilings to the ids that were given out, so that the next start goes on without a gap. */
  returnUnused(tx: Transaction, boards: readonly RealmBoard[]): Promise<void>
}

export function openIdReserve({ transaction, log }: { transaction: RunTransaction; log: Log }): IdReserve {
  const raising = new Map<RealmBoard, Promise<void>>()

  async function reserve(board: RealmBoard): Promise<void> {
    try {
      const { found, raised } = await transaction(async (tx) => {
        const found = await findCeiling(tx.db, board.realmId)
        const raised = Math.max(found, board.ceiling) + RESERVE_SIZE
        await saveCeiling(tx, board.realmId, raised)
        return { found, raised }
      })
      board.raiseCeiling(found, raised)
    } finally {
      raising.delete(board)
    }
  }

  function raise(board: RealmBoard): Promise<void> {
    const running = raising.get(board) ?? reserve(board)
    raising.set(board, running)
    return running
  }

  return {
    raise,
    topUp(board) {
      if (board.ceiling - board.lastId > RESERVE_SIZE / 2 || raising.has(board)) return
      raise(board).catch((error) => log.error({ err: error }, 'No presence update ids are reserved yet'))
    },
    async whenIdle() {
      await Promise.allSettled(raising.values())
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
