import type { WriteAheadLogOptions } from '#storage/sqlite/write-ahead-log.ts'

/** A disk whose syncs take as long as a test wants. */
export type HeldSyncs = {
  /** The option for the storage on the disk. */
  readonly sqliteLog: WriteAheadLogOptions
  /** Blocks all syncs from now on. Resolves when one is waiting. */
  hold(): Promise<void>
  /** Lets all syncs continue, including later ones. */
  release(): void
  /** Fails the waiting syncs and later ones. */
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
