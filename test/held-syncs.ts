import type { WriteAheadLogOptions } from '../server/platform/storage/sqlite/write-ahead-log.ts'

/** A disk whose syncs take as long as a test wants. */
export type HeldSyncs = {
  /** For the storage that is to have the disk. */
  readonly sqliteLog: WriteAheadLogOptions
  /** Lets no sync begin from now on. Resolves when one waits. */
  hold(): Promise<void>
  /** Lets all syncs go on, and those that come later. */
  release(): void
  /** Has the syncs that wait fail, and those that come later. */
  fail(error: Error): void
}

export function heldSyncs(options: WriteAheadLogOptions = {}): HeldSyncs {
  let gate: PromiseWithResolvers<void> | null = null
  let reached = Promise.withResolvers<void>()
  return {
    sqliteLog: {
      ...options,
      async aroundSync(sync) {
        if (gate !== null) {
          reached.resolve()
          await gate.promise
        }
        await sync()
      },
    },
    hold() {
      gate = Promise.withResolvers()
      reached = Promise.withResolvers()
      return reached.promise
    },
    release() {
      gate?.resolve()
      gate = null
    },
    fail: (error) => gate?.reject(error),
  }
}
