import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type BodyReservation, openBodyBudget } from './budgets.ts'

const MEBIBYTE = 1024 * 1024

/** Collects the names of reservations whose bodies may be read. */
function watch(reservations: Record<string, BodyReservation>): string[] {
  const begun: string[] = []
  for (const [name, { turn }] of Object.entries(reservations))
    if (turn === null) begun.push(name)
    else void turn.then(() => begun.push(name))
  return begun
}

test('bodies of a user beyond 8 MiB wait in order, and do not delay others', async () => {
  const budget = openBodyBudget()
  const first = budget.reserve(1, 5 * MEBIBYTE)
  const second = budget.reserve(1, 3 * MEBIBYTE)
  const third = budget.reserve(1, 4 * MEBIBYTE)
  const small = budget.reserve(1, 1)
  const other = budget.reserve(2, 8 * MEBIBYTE)
  const begun = watch({ first, second, third, small, other })

  const atOnce = [...begun]
  second.release()
  second.release()
  await nextTurn()
  const afterSecond = begun.slice(atOnce.length)
  first.release()
  await nextTurn()

  assert.deepEqual(atOnce, ['first', 'second', 'other'])
  assert.deepEqual(afterSecond, [])
  assert.deepEqual(begun.slice(atOnce.length), ['third', 'small'])
})

test('a body that is longer than the limit of its sender is read alone', async () => {
  const budget = openBodyBudget()
  const large = budget.reserve(1, 100 * MEBIBYTE)
  const next = budget.reserve(1, 1)
  const begun = watch({ large, next })

  large.release()
  await nextTurn()

  assert.deepEqual(begun, ['large', 'next'])
})

test('a network without credentials has less room than a user', () => {
  const budget = openBodyBudget()

  for (let count = 0; count < 16; count += 1) assert.equal(budget.reserve('network', MEBIBYTE / 16).turn, null)

  assert.notEqual(budget.reserve('network', 1).turn, null)
  assert.equal(budget.reserve('another network', 1).turn, null)
})

test('100 bodies of a sender may wait, and further ones are refused until one is given up', () => {
  const budget = openBodyBudget()
  budget.reserve(1, 8 * MEBIBYTE)
  const waiting = Array.from({ length: 100 }, () => budget.reserve(1, 1))

  assert.throws(() => budget.reserve(1, 1), { message: 'API usage exceeded rate limit' })
  waiting[50]?.release()
  assert.notEqual(budget.reserve(1, 1).turn, null)
  assert.equal(budget.reserve(2, 1).turn, null)
})

test('the bytes of all senders together are limited, and released with the bodies', () => {
  const budget = openBodyBudget(1000)
  const [first, second] = [budget.reserve(1, 1000), budget.reserve(2, 1000)]

  const received = [first.receive(400), second.receive(500), second.receive(200), second.receive(100)]
  const full = budget.size
  first.release()

  assert.deepEqual(received, [true, true, false, true])
  assert.equal(full, 1000)
  assert.equal(budget.size, 600)
  assert.equal(second.receive(400), true)
  second.release()
  assert.equal(budget.size, 0)
})

test('while half of the memory is in use, a sender may have 1 MiB', () => {
  const budget = openBodyBudget(10 * MEBIBYTE)
  const [heavy, light] = [budget.reserve(1, 8 * MEBIBYTE), budget.reserve(2, 8 * MEBIBYTE)]

  const beforeHalf = heavy.receive(5 * MEBIBYTE)

  assert.deepEqual(
    [beforeHalf, heavy.receive(1), light.receive(MEBIBYTE), light.receive(1)],
    [true, false, true, false],
  )
})
