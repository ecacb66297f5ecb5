import { retryAfterOf } from '../../api/api-error.ts'

/** How many are done at a time: a server limits how much one person asks of it. */
const AT_ONCE = 4

export type Failure<Item> = { item: Item; error: unknown }

/** What is begun at once when the page is left. */
const unfinished = new Set<() => void>()
addEventListener('pagehide', () => {
  for (const rush of unfinished) rush()
})

/** Does it with each, as fast as the server lets one; what could not be done. On leaving the page the rest is tried at once. */
export async function runAll<Item>(
  items: readonly Item[],
  action: (item: Item) => Promise<unknown>,
): Promise<Failure<Item>[]> {
  const failures: Failure<Item>[] = []
  const waiting = [...items]
  async function work() {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await patiently(() => action(item as Item))
      } catch (error) {
        failures.push({ item, error })
      }
    }
  }
  const rush = () => {
    for (const item of waiting.splice(0)) action(item).catch(() => {})
  }
  unfinished.add(rush)
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  unfinished.delete(rush)
  return failures
}

/** Tries again, as soon as the server says, what it puts off. */
async function patiently(action: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await action()
      return
    } catch (error) {
      const pause = retryAfterOf(error)
      if (pause === null) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
