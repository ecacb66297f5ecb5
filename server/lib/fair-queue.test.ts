import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { testClock } from './clock.ts'
import { Refusal } from './errors.ts'
import { type FairQueueOptions, openFairQueue, type Requester } from './fair-queue.ts'

const ada: Requester = { key: 1, isLimited: true }
const ben: Requester = { key: 2, isLimited: true }
const cleo: Requester = { key: 3, isLimited: true }

/** Returns a queue and the names of its started jobs, in order. Each job runs until the test ends it. */
function openTestQueue(options: Partial<FairQueueOptions> = {}) {
  const clock = testClock(1000)
  const limits = { concurrency: 1, maxWaitingEach: 10, maxWaiting: 100, retryAfter: 7 }
  const queue = openFairQueue({ clock, ...limits, ...options })
  const started: string[] = []
  const running: PromiseWithResolvers<void>[] = []

  /** Ends the job that started first, and lets others start. */
  async function endOne() {
    running.shift()?.resolve()
    await setImmediate()
  }

  async function endAll() {
    while (running.length > 0) await endOne()
  }

  async function add(requester: Requester, name: string, seconds = 0) {
    return queue.run(requester, async (charge) => {
      started.push(name)
      const job = Promise.withResolvers<void>()
      running.push(job)
      await job.promise
      charge(seconds)
      return name
    })
  }

  return { clock, queue, started, add, endOne, endAll }
}

const refusalOf = async (job: Promise<unknown>) => {
  const error = await job.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof Refusal ? { status: error.kind.status, ...error.extras } : error
}

test('people take turns, however many jobs one of them has added before', async () => {
  const { add, started, endAll } = openTestQueue()
  const jobs = [add(ada, 'a1'), add(ada, 'a2'), add(ada, 'a3'), add(ben, 'b1'), add(ben, 'b2'), add(cleo, 'c1')]

  await endAll()

  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.deepEqual(await Promise.all(jobs), ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'])
})

test('one job of each person runs at a time, for as many people as there are free slots', async () => {
  const { add, started, endOne, endAll } = openTestQueue({ concurrency: 2 })
  for (const name of ['a1', 'a2']) void add(ada, name)
  const before = [...started]
  for (const name of ['b1', 'b2']) void add(ben, name)
  void add(cleo, 'c1')

  const meanwhile = [...started]
  await endOne()

  assert.deepEqual([before, meanwhile, started], [['a1'], ['a1', 'b1'], ['a1', 'b1', 'c1']])
  await endAll()
})

test('a failing job reports its error to the caller, and the jobs behind it still run', async () => {
  const { queue, add, endAll } = openTestQueue()
  const failing = queue.run(ada, async () => {
    throw new Error('broken')
  })
  const next = add(ada, 'next')

  await assert.rejects(failing, /broken/)
  await setImmediate()
  await endAll()

  assert.equal(await next, 'next')
})

test('a person with too many waiting jobs is told to try again later, and others are not', async () => {
  const { add, started, endAll } = openTestQueue({ maxWaitingEach: 2 })
  const jobs = ['a1', 'a2', 'a3'].map((name) => add(ada, name))

  const refused = await refusalOf(add(ada, 'a4'))
  const others = add(ben, 'b1')

  assert.deepEqual(refused, { status: 429, 'retry-after': 7 })
  await endAll()
  await Promise.all([...jobs, others])
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'a3'])
})

test('when the queue is full, the last job of the person with the most jobs is refused to make room', async () => {
  const { add, started, endAll } = openTestQueue({ maxWaiting: 4 })
  const jobs = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => add(ada, name))
  const last = refusalOf(jobs[4]!)

  const beyond = await refusalOf(add(ada, 'a6'))
  const other = add(ben, 'b1')

  assert.deepEqual(
    [beyond, await last],
    [
      { status: 429, 'retry-after': 7 },
      { status: 429, 'retry-after': 7 },
    ],
  )
  await endAll()
  assert.equal(await other, 'b1')
  assert.deepEqual(started, ['a1', 'b1', 'a2', 'a3', 'a4'])
})

test('a person who has used up the budget has to wait until it has recovered', async () => {
  const { clock, add, endAll } = openTestQueue({ budget: { seconds: 10, per: 60 } })
  const first = add(ada, 'a1', 12)
  const waiting = refusalOf(add(ada, 'a2'))
  await endAll()
  await first

  const refused = [await waiting, await refusalOf(add(ada, 'a3'))]
  const other = add(ben, 'b1', 1)
  await clock.advance(11)
  const tooSoon = await refusalOf(add(ada, 'a4'))
  await clock.advance(2)
  const later = add(ada, 'a5', 1)
  await endAll()

  assert.deepEqual(
    [...refused, tooSoon],
    [
      { status: 429, 'retry-after': 12 },
      { status: 429, 'retry-after': 12 },
      { status: 429, 'retry-after': 1 },
    ],
  )
  assert.deepEqual([await other, await later], ['b1', 'a5'])
})

test('jobs without limits wait for their turn and are never refused', async () => {
  const { add, endAll } = openTestQueue({ maxWaitingEach: 1, maxWaiting: 2, budget: { seconds: 1, per: 60 } })
  const patient = { ...ada, isLimited: false }
  const jobs = Array.from({ length: 20 }, (_, at) => add(patient, `a${at}`, 5))

  await endAll()

  assert.equal((await Promise.all(jobs)).length, 20)
})

test('a requester may have several running jobs, and others still get their turn', async () => {
  const { started, add, endOne, endAll } = openTestQueue({ concurrency: 3, concurrencyEach: 2 })
  const jobs = ['a1', 'a2', 'a3', 'a4'].map((name) => add(ada, name))
  jobs.push(add(ben, 'b1'), add(ben, 'b2'))

  assert.deepEqual(started, ['a1', 'a2', 'b1'])
  await endOne()
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'b2'])
  await endOne()
  assert.deepEqual(started, ['a1', 'a2', 'b1', 'b2', 'a3'])
  await endAll()
  await Promise.all(jobs)
  assert.deepEqual(started.toSorted(), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'])
})
