import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testClock } from '#lib/clock.ts'
import { systemRandom } from '#lib/secrets.ts'
import { settingsOf, waitUntil } from '../../test/nodes/node-storage.ts'
import { type BusSettings, options, testNodes } from '../../test/nodes/nodes.ts'
import { openTestStorage, sharedDatabaseUrl } from '../../test/storage.ts'
import {
  type Attempts,
  openAttempts,
  openRateLimiter,
  type RateLimiter,
  type RateRule,
  shareRequests,
} from './rate-limits.ts'

const FIVE: readonly RateRule[] = [[1800, 5]]

const NOW = 1000

async function openNode(url: string, bus: BusSettings = {}) {
  const storage = await openTestStorage({ settings: settingsOf(url, undefined, bus) })
  const limiter = openRateLimiter()
  const attempts = openAttempts({ storage, limiter, clock: testClock(NOW), random: systemRandom })
  return { attempts, limiter, storage, [Symbol.asyncDispose]: storage.close }
}

const isAllowed = async (attempts: Attempts, key = 'ada') => (await attempts.take(key, FIVE)).allowed

/** Returns which of this many concurrent attempts are allowed. */
const tryAtOnce = (attempts: Attempts, times: number) =>
  Promise.all(Array.from({ length: times }, () => isAllowed(attempts)))

testNodes('concurrent attempts at all nodes have the same limit as at one', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using first = await openNode(url, bus)
  await using other = await openNode(url, bus)

  const responses = await Promise.all([tryAtOnce(first.attempts, 20), tryAtOnce(other.attempts, 20)])
  const statements = other.storage.statements
  const refused = await isAllowed(other.attempts)

  assert.equal(responses.flat().filter((wasAllowed) => wasAllowed).length, 5)
  assert.equal(refused, false)
  assert.equal(other.storage.statements, statements)
  assert.equal(await isAllowed(first.attempts, 'ben'), true)
})

testNodes('a reset at one node applies to all', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using first = await openNode(url, bus)
  await using other = await openNode(url, bus)
  await tryAtOnce(first.attempts, 5)
  const before = await isAllowed(other.attempts)

  await other.attempts.forget('ada')
  for (const { limiter, storage } of [first, other])
    while (limiter.findRefusal('ada', FIVE, NOW) !== null) await storage.isReady()

  assert.equal(before, false)
  assert.deepEqual([await isAllowed(first.attempts), await isAllowed(other.attempts)], [true, true])
})

testNodes('an attempt that is taken back at one node counts at none', async (bus) => {
  const url = await sharedDatabaseUrl()
  await using first = await openNode(url, bus)
  await using other = await openNode(url, bus)
  await tryAtOnce(first.attempts, 5)

  await other.attempts.takeBack('ada')
  for (const { limiter, storage } of [first, other])
    while (limiter.findRefusal('ada', FIVE, NOW) !== null) await storage.isReady()

  assert.deepEqual([await isAllowed(first.attempts), await isAllowed(other.attempts)], [true, false])
})

test('an attempt whose message is lost is counted at its node, and decided within seconds', options, async () => {
  await using node = await openNode(await sharedDatabaseUrl())
  const clock = testClock(NOW)
  const storage = { ...node.storage, onNodeNotification: () => {} }
  const limiter = openRateLimiter()
  const attempts = openAttempts({ storage, limiter, clock, random: systemRandom })

  const responses = Promise.all(Array.from({ length: 6 }, () => isAllowed(attempts)))
  let isAnswered = false
  void responses.then(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await node.storage.isReady()
    await clock.advance(1)
  }

  assert.equal((await responses).filter((wasAllowed) => wasAllowed).length, 5)
})

testNodes(
  'requests at one node count at the other a second later, once a quarter of the limit is used',
  async (bus) => {
    const url = await sharedDatabaseUrl()
    await using one = await openNode(url, bus)
    await using other = await openNode(url, bus)
    const clock = testClock(NOW)
    const [sender, receiver] = [one, other].map(({ storage, limiter }) =>
      shareRequests(limiter, { storage, clock }),
    ) as [RateLimiter, RateLimiter]
    const rules: readonly RateRule[] = [[60, 100]]
    const take = (limiter: RateLimiter, key: number, times: number) =>
      Array.from({ length: times }, () => limiter.take(key, rules, clock.now())).filter(({ allowed }) => allowed).length

    const accepted = [take(sender, 1, 150), take(sender, 2, 20), take(receiver, 3, 1)]
    await clock.advance(1)
    // A quarter of the requests was not shared.
    await waitUntil(() => receiver.findRefusal(1, [[60, 75]], clock.now()) !== null)
    accepted.push(take(receiver, 1, 100), take(receiver, 2, 100))

    assert.deepEqual(accepted, [100, 20, 1, 25, 100])
  },
)

test('a single process counts in memory', async () => {
  await using storage = await openTestStorage()
  const attempts = openAttempts({ storage, limiter: openRateLimiter(), clock: testClock(NOW), random: systemRandom })
  const { statements } = storage

  const verdicts = Array.from({ length: 6 }, () => attempts.take('ada', FIVE))
  attempts.forget('ada')

  assert.ok(verdicts.every((verdict) => 'allowed' in verdict))
  assert.deepEqual(
    verdicts.map((verdict) => 'allowed' in verdict && verdict.allowed),
    [true, true, true, true, true, false],
  )
  assert.equal(await isAllowed(attempts), true)
  assert.equal(storage.statements, statements)
})
