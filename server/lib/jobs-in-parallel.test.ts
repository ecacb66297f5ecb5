import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { testClock } from './clock.ts'
import { openPeriodicTask, openRunningJobs, type RunningJobs } from './jobs.ts'

/** Returns the running jobs of a task that starts the `due` jobs one after another. `end` ends a job. */
function openJobsOf(due: string[]) {
  const ends = new Map<string, () => void>()
  const { run: runTask } = openPeriodicTask({
    clock: testClock(1000),
    async work() {
      await turn()
      const key = due[0]
      if (key === undefined || jobs.size > 0) return null
      due.shift()
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.set(key, resolve)
      jobs.add(key, promise)
      return null
    },
    onFailure(error) {
      throw error
    },
  })
  const jobs: RunningJobs<string> = openRunningJobs(runTask)
  async function end(key: string) {
    for (let turns = 0; turns < 10 && !ends.has(key); turns++) await turn()
    ends.get(key)?.()
  }
  return { jobs, end }
}

/** Returns whether the promise has resolved after some turns of the event loop. */
async function hasEnded(promise: Promise<void>): Promise<boolean> {
  let isOver = false
  void promise.then(() => {
    isOver = true
  })
  for (let turns = 0; turns < 50; turns++) await turn()
  return isOver
}

test('settled() also waits for a job that had to wait for a free slot', async () => {
  const { jobs, end } = openJobsOf(['first', 'second'])
  const settled = jobs.settled()

  await end('first')
  assert.equal(await hasEnded(settled), false)
  assert.deepEqual([jobs.has('first'), jobs.has('second')], [false, true])
  await end('second')

  assert.equal(await hasEnded(settled), true)
  assert.equal(jobs.size, 0)
})

test('several callers of settled() do not block each other', async () => {
  const { jobs, end } = openJobsOf(['only'])
  const first = jobs.settled()
  await turn()
  const second = jobs.settled()

  await end('only')

  assert.deepEqual(await Promise.all([first, second].map(hasEnded)), [true, true])
})
