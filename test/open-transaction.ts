import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '#storage/storage.ts'
import type { Chat } from './harness.ts'

/**
 * Milliseconds in which a request that waits for nothing ends; if it takes longer, the test is less strict but not
 * wrong.
 */
export const A_WHILE = 150

/** Runs `work` in a transaction that stays open while `other` is started, and for a while afterwards. */
export async function whileTransactionIsOpen<Result>(
  chat: Chat,
  work: (tx: Transaction) => Promise<Result>,
  other: () => Promise<unknown>,
): Promise<Result> {
  const [done, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const working = chat.app.services.transaction(async (tx) => {
    const result = await work(tx)
    done.resolve()
    await over.promise
    return result
  })
  await done.promise
  const waiting = other()
  await sleep(A_WHILE)
  over.resolve()
  await waiting
  return working
}
