import { LockTimeout } from './engine.ts'

/**
 * Milliseconds after which the server stops waiting for locks. PostgreSQL lets a suspended process hold locks for a
 * shorter time (storage/postgres/session.ts).
 */
const LOCK_PATIENCE = 12_000

/** Repeats `work` while it fails because a lock was not free in time. */
export async function retryLockTimeouts<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LockTimeout) || performance.now() - startedAt > LOCK_PATIENCE) throw error
    }
  }
}
