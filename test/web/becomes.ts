import assert from 'node:assert/strict'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Milliseconds that a page may take for each process that shares a processor. */
const MAX_TIME = 60_000

/**
 * Returns the milliseconds that a page may take now: more, the more processes share a processor. So a page that never
 * gets there fails its test, and a slow one does not. Other machines on the same processors do not count as processes, so
 * that it is two minutes at least.
 */
export function patience(): number {
  const [waiting = 0] = loadavg()
  return MAX_TIME * Math.max(2, waiting / availableParallelism())
}

/**
 * Waits until the page shows the expected value. One finished change on a page does not mean that others have arrived:
 * two events come in two responses, and a list reloads after the dialog over it has closed.
 */
export async function becomes<Value>(read: () => Promise<Value>, expected: NoInfer<Value>): Promise<void> {
  const start = performance.now()
  let value = await read()
  for (; !isDeepStrictEqual(value, expected) && performance.now() < start + patience(); value = await read())
    await setTimeout(50)
  assert.deepEqual(value, expected)
}

/** Waits until a value stays the same, such as the position of something that scrolls, and returns it. */
export async function settles<Value>(read: () => Promise<Value>): Promise<Value> {
  let value = await read()
  let count = 0
  await becomes(async () => {
    const before = value
    value = await read()
    count = isDeepStrictEqual(value, before) ? count + 1 : 0
    return count >= 5
  }, true)
  return value
}
