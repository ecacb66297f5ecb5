import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from './clock.ts'

test('an advance runs the due jobs in order, each at its own time, and waits for them', async () => {
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

test('a frozen clock does not move, and continues from there when it is unfrozen', async () => {
  const clock = testClock(1000)

  assert.equal(clock.now(), 1000)
  clock.freeze(false)
  await new Promise((resolve) => setTimeout(resolve, 5))

  assert(clock.now() > 1000 && clock.now() < 1060)
})

test('a running clock runs its timers, and waits again after it was set back', async () => {
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

test('concurrent moves run one after another', async () => {
  const clock = testClock(1000)
  const ran: number[] = []
  clock.schedule(1010, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    ran.push(clock.now())
  })

  await Promise.all([clock.advance(15), clock.advance(30)])

  assert.deepEqual([ran, clock.now()], [[1010], 1045])
})

test('advancing a running clock waits for work that its jobs make due', async () => {
  const clock = testClock()
  const start = clock.now()
  let isDone = false
  clock.schedule(start + 10, async () => {
    clock.schedule(start + 11, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      isDone = true
    })
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  await clock.advance(3600)

  assert(isDone)
})

test('jobs keep their distance when the clock is set back, or reset to the time of the machine', async () => {
  const clock = testClock(2e9)
  const ran: number[] = []
  clock.schedule(2e9 + 60, () => void ran.push(clock.now()))
  clock.schedule(2e9 + 120, () => void ran.push(clock.now()))

  await clock.set(1000)
  await clock.advance(60)
  await clock.reset()
  clock.freeze(true)
  const start = clock.now()
  await clock.advance(59)
  await clock.advance(1)

  assert.equal(ran[0], 1060)
  // The clock runs between the reset and the freeze.
  assert(Math.abs((ran[1] ?? 0) - start - 60) < 30, String(ran))
})

test('a move that makes many jobs due still ends soon', async () => {
  const clock = testClock(0)
  let count = 0
  const again = () => {
    count += 1
    clock.schedule(clock.now() + 1, again)
  }
  clock.schedule(1, again)

  await clock.advance(1e9)

  assert.equal(clock.now(), 1e9)
  assert(count > 1000 && count < 100_000, String(count))
  await clock.advance(10)
  assert.equal(clock.now(), 1e9 + 10)
})
