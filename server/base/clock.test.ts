import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from './clock.ts'

test('an advance runs what it makes due in order, each job at its own time, and waits for them', async () => {
  const clock = testClock(1000)
  const ran: [string, number][] = []
  clock.schedule(1020, () => void ran.push(['later', clock.now()]))
  clock.schedule(1010, async () => {
    await null
    ran.push(['first', clock.now()])
    clock.schedule(1015, () => void ran.push(['from a job', clock.now()]))
  })
  const cancel = clock.schedule(1012, () => void ran.push(['cancelled', clock.now()]))
  clock.schedule(1031, () => void ran.push(['beyond', clock.now()]))
  cancel()

  await clock.advance(30)

  assert.deepEqual(ran, [
    ['first', 1010],
    ['from a job', 1015],
    ['later', 1020],
  ])
  assert.equal(clock.now(), 1030)
})

test('a frozen clock stands still; set free it runs on from there', async () => {
  const clock = testClock(1000)

  assert.equal(clock.now(), 1000)
  clock.freeze(false)
  await new Promise((resolve) => setTimeout(resolve, 5))

  assert(clock.now() > 1000 && clock.now() < 1060)
})

test('a running clock runs its timers by itself, and one that was set back waits again', async () => {
  const clock = testClock()
  const start = clock.now()
  let runs = 0
  const ran = new Promise<void>((resolve) => {
    clock.schedule(start + 0.01, () => {
      runs += 1
      resolve()
    })
  })

  await ran
  await clock.set(start - 500)
  clock.schedule(start, () => {
    runs += 1
  })
  await new Promise((resolve) => setTimeout(resolve, 20))

  assert.equal(runs, 1)
})
