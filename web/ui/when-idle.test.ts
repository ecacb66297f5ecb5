import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { whenIdle } from './timers.ts'

const browser = globalThis as Record<string, unknown>
afterEach(() => {
  delete browser['requestIdleCallback']
  delete browser['cancelIdleCallback']
})

test('a function is called when the page is idle, unless it is cancelled', () => {
  const waiting = new Map<number, () => void>()
  browser['requestIdleCallback'] = (run: () => void) => waiting.set(waiting.size + 1, run).size
  browser['cancelIdleCallback'] = (id: number) => waiting.delete(id)
  const called: string[] = []

  whenIdle(() => called.push('one'), 1000)
  const cancel = whenIdle(() => called.push('other'), 1000)
  cancel()
  assert.deepEqual(called, [])
  for (const run of waiting.values()) run()

  assert.deepEqual(called, ['one'])
})

test('a browser without idle callbacks calls it a moment later, unless it is cancelled', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const called: string[] = []

  whenIdle(() => called.push('one'), 1000)
  const cancel = whenIdle(() => called.push('other'), 1000)
  cancel()
  assert.deepEqual(called, [])
  context.mock.timers.tick(100)

  assert.deepEqual(called, ['one'])
})
