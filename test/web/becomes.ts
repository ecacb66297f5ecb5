import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Milliseconds that a page may take on a busy machine. */
const PATIENCE = 30_000

/**
 * Waits until the page shows the expected value. One finished change on a page does not mean that others have arrived:
 * two events come in two responses, and a list reloads after the dialog over it has closed.
 */
export async function becomes<Value>(read: () => Promise<Value>, expected: NoInfer<Value>): Promise<void> {
  const end = performance.now() + PATIENCE
  let value = await read()
  for (; !isDeepStrictEqual(value, expected) && performance.now() < end; value = await read()) await setTimeout(50)
  assert.deepEqual(value, expected)
}
