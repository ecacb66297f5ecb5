import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '../server/platform/storage/storage.ts'
import type { Chat } from './harness.ts'

/** Long enough for a request to end that waits for nothing; one that takes longer makes the test less sharp, not wrong. */
export const A_WHILE = 150

/** Does `work` in a transaction that stays open while `other` is begun, and for a while after. */
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
