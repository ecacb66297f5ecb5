import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInFlight, openWorkBudget } from './budgets.ts'

test('work drains evenly, and a user waits until the excess of the last request has drained', () => {
  const budget = openWorkBudget()

  budget.charge(1, 50, 60, 1000)

  assert.equal(budget.secondsToWait(1, 60, 1000), 31)
  assert.equal(budget.secondsToWait(1, 60, 1030), 1)
  assert.equal(budget.secondsToWait(1, 60, 1031), 0)
  assert.equal(budget.secondsToWait(2, 60, 1000), 0)
  budget.charge(1, 1, 60, 1031)
  assert.equal(budget.secondsToWait(1, 60, 1031), 1)
  assert.deepEqual(
    [budget.isBusy(1, 60, 1031), budget.isBusy(1, 60, 1048), budget.isBusy(2, 60, 1031)],
    [true, false, false],
  )
})

test('setting the clock back does not change the budget', () => {
  const budget = openWorkBudget()
  budget.charge(1, 20, 60, 1000)

  assert.equal(budget.secondsToWait(1, 60, 500), 1)
})

test('users with an empty bucket are forgotten, and the number of users is limited', () => {
  const budget = openWorkBudget(2)
  for (const userId of [1, 2, 3]) budget.charge(userId, 20, 60, 1000)

  assert.equal(budget.size, 2)
  assert.deepEqual(
    [1, 2, 3].map((person) => budget.secondsToWait(person, 60, 1000)),
    [0, 1, 1],
  )
  for (const person of [2, 3]) budget.secondsToWait(person, 60, 2000)
  assert.equal(budget.size, 0)
})

test('waiting requests run in order, one for each that ends', async () => {
  const inFlight = openInFlight({ maxWaiting: 2 })
  const order: number[] = []
  for (let count = 0; count < 4; count += 1) assert.equal(inFlight.enter(1, false), null)
  const waiting = [1, 2].map((count) => inFlight.enter(1, false)?.then(() => order.push(count)))
  assert.throws(() => inFlight.enter(1, false), { message: 'API usage exceeded rate limit' })
  assert.equal(inFlight.enter(2, false), null)

  inFlight.leave(1)
  await waiting[0]
  const first = [...order]
  inFlight.leave(1)
  await waiting[1]

  assert.deepEqual([first, order], [[1], [1, 2]])
})

test('others are served before each request that waited', async () => {
  const inFlight = openInFlight()
  const order: string[] = []
  for (let count = 0; count < 4; count += 1) inFlight.enter(1, false)
  const waiting = ['first', 'second'].map((name) => inFlight.enter(1, false)?.then(() => order.push(name)))

  setImmediate(() => order.push('others'))
  inFlight.leave(1)
  await waiting[0]
  setImmediate(() => order.push('others again'))
  inFlight.leave(1)
  await waiting[1]

  assert.deepEqual(order, ['others', 'first', 'others again', 'second'])
})

test('a busy user has one request at a time, and others are served before each', async () => {
  const inFlight = openInFlight()
  const order: string[] = []
  const [first, second] = ['first', 'second'].map((name) => inFlight.enter(1, true)?.then(() => order.push(name)))

  setImmediate(() => order.push('others'))
  await first
  setImmediate(() => order.push('others again'))
  inFlight.leave(1)
  await second

  assert.deepEqual(order, ['others', 'first', 'others again', 'second'])
})
