import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setRunningTimer } from './timers.ts'

test('a function is called after the time, unless it is cancelled', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const called: string[] = []

  setRunningTimer(() => called.push('one'), 1200)
  const cancel = setRunningTimer(() => called.push('other'), 1200)
  for (const time of [500, 500]) context.mock.timers.tick(time)
  cancel()
  context.mock.timers.tick(199)
  assert.deepEqual(called, [])
  context.mock.timers.tick(1)

  assert.deepEqual(called, ['one'])
})

test('a time in which the page cannot run counts as only 500 ms', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const called: string[] = []

  setRunningTimer(() => called.push('one'), 1500)
  for (const time of [10_000, 500]) context.mock.timers.tick(time)
  assert.deepEqual(called, [])
  context.mock.timers.tick(500)

  assert.deepEqual(called, ['one'])
})
