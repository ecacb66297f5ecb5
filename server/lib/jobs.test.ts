import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from './clock.ts'
import { openPeriodicTask } from './jobs.ts'

/** Returns a task and the start times of its runs. Each run lasts until the test ends it. The clock is at 1,000. */
function openHeldTask() {
  const clock = testClock(1000)
  const began: number[] = []
  let end = Promise.withResolvers<number | null>()
  const rounds = openPeriodicTask({
    clock,
    work: () => {
      began.push(clock.now())
      end = Promise.withResolvers()
      return end.promise
    },
    onFailure: () => {},
    onDue: async () => void rounds.run(),
  })
  const endRound = async (dueAt: number | null) => {
    end.resolve(dueAt)
    await new Promise(setImmediate)
  }
  return { clock, began, rounds, endRound }
}

test('calls before a run starts share it, and a later call gets another run', async () => {
  const { began, rounds, endRound } = openHeldTask()
  const first = [rounds.run(), rounds.run()]
  await new Promise(setImmediate)
  const second = rounds.run()

  await endRound(null)
  await Promise.all(first)
  await endRound(null)
  await second

  assert.equal(first[0], first[1])
  assert.equal(began.length, 2)
})

test('the clock starts a run when more work is due, and no run starts after stop()', async () => {
  const { clock, began, rounds, endRound } = openHeldTask()
  const first = rounds.run()
  await new Promise(setImmediate)
  await endRound(1030)
  await first

  await clock.advance(100)
  let isOver = false
  const stopped = rounds.stop().then(() => {
    isOver = true
  })
  await new Promise(setImmediate)
  const whileUnderWay = isOver
  await endRound(1200)
  await stopped
  await clock.advance(1000)
  await rounds.run()

  assert.equal(whileUnderWay, false)
  assert.deepEqual(began, [1000, 1030])
})

for (const [what, dueAt] of [
  ['nothing more is due', null],
  ['more is due sooner', 1010],
] as const) {
  test(`after a failure during a run the task pauses for a minute, even if ${what}`, async () => {
    const { clock, began, rounds, endRound } = openHeldTask()
    const runTask = rounds.run()
    await new Promise(setImmediate)

    rounds.pauseAfter(new Error('disk full'))
    await endRound(dueAt)
    await runTask
    await clock.advance(59)
    await rounds.run()
    const whileResting = [...began]
    await clock.advance(1)
    await new Promise(setImmediate)

    assert.deepEqual(whileResting, [1000])
    assert.deepEqual(began, [1000, 1060])
  })
}

test('a task reports since when it has been failing, until a run succeeds', async () => {
  const { clock, rounds, endRound } = openHeldTask()
  const before = rounds.history().failingSince
  const first = rounds.run()
  await new Promise(setImmediate)
  rounds.pauseAfter(new Error('disk full'))
  await endRound(null)
  await first
  await clock.advance(60)
  await new Promise(setImmediate)
  rounds.pauseAfter(new Error('disk still full'))
  await endRound(null)
  const during = rounds.history().failingSince

  await clock.advance(60)
  await new Promise(setImmediate)
  await endRound(null)
  await new Promise(setImmediate)

  assert.deepEqual([before, during, rounds.history().failingSince], [null, 1000, null])
})
