import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdTyping, takeHeldTyping } from './typed-ahead.ts'

const page = new EventTarget()
Object.assign(globalThis, { addEventListener: page.addEventListener.bind(page) })

/** Presses a key; returns whether it is left to the page. */
const press = (key: string) => page.dispatchEvent(Object.assign(new Event('keydown', { cancelable: true }), { key }))

test('typed characters wait for their field, even if the page cannot run for a while', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })

  holdTyping()
  const areLeft = ['a', 'd', 'x', 'Backspace', 'Enter', 'Tab'].map(press)
  context.mock.timers.tick(60_000)
  const typed = takeHeldTyping()

  assert.equal(typed, 'ad')
  assert.deepEqual(areLeft, [false, false, false, false, false, true])
  assert.equal(press('a'), true)
})

test('characters whose field does not appear in time are dropped, and keys have their usual effects again', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })

  holdTyping()
  press('a')
  for (let half = 0; half < 30; half += 1) context.mock.timers.tick(500)

  assert.equal(press('b'), true)
  assert.equal(takeHeldTyping(), '')
})
