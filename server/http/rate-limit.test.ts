import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/fast-check.ts'
import { openRateLimiter, type RateRule } from './rate-limits.ts'

const NOON = 1_700_000_000
const usual: RateRule[] = [[60, 200]]

test('each request counts for its own key, and the verdict says how many are left', () => {
  const limiter = openRateLimiter()

  const first = limiter.take('ada', usual, NOON + 0.25)
  const second = limiter.take('ada', usual, NOON + 10.25)
  const other = limiter.take('ben', usual, NOON + 10.5)

  assert.deepEqual(first, { allowed: true, limit: 200, remaining: 199, resetAt: NOON + 61 })
  assert.deepEqual(second, { allowed: true, limit: 200, remaining: 198, resetAt: NOON + 71 })
  assert.deepEqual(other, { allowed: true, limit: 200, remaining: 199, resetAt: NOON + 71 })
})

test('a request beyond the limit is refused, and not counted, until the first one has left the window', () => {
  const limiter = openRateLimiter()
  for (let count = 0; count < 200; count += 1) assert.ok(limiter.take(1, usual, NOON + count / 10).allowed)

  const refused = limiter.take(1, usual, NOON + 20)
  assert.deepEqual(refused, { allowed: false, limit: 200, remaining: 0, resetAt: NOON + 80, retryAfter: 40 })
  for (let count = 0; count < 500; count += 1) assert.ok(!limiter.take(1, usual, NOON + 59.9).allowed)

  assert.equal(limiter.take(1, usual, NOON + 60).remaining, 0)
  assert.ok(limiter.take(1, usual, NOON + 60.1).allowed)
  assert.ok(!limiter.take(1, usual, NOON + 60.15).allowed)
})

test('findRefusal returns the refusal without counting a request', () => {
  const limiter = openRateLimiter()
  const find = (now: number) => limiter.findRefusal('ada', [[60, 2]], now)
  const before = [find(NOON), limiter.size]
  for (const now of [NOON, NOON + 1]) limiter.take('ada', [[60, 2]], now)

  assert.deepEqual(before, [null, 0])
  assert.deepEqual(find(NOON + 2), { allowed: false, limit: 2, remaining: 0, resetAt: NOON + 61, retryAfter: 58 })
  assert.equal(find(NOON + 60), null)
  assert.equal(limiter.take('ada', [[60, 2]], NOON + 60).remaining, 0)
})

test('a request is allowed after the time that the verdict names', () => {
  const limiter = openRateLimiter()
  const time = fc.double({ min: 0, max: 3e9, noNaN: true })
  const seconds = fc.double({ min: 0.01, max: 1e6, noNaN: true })
  fc.assert(
    fc.property(fc.uuid(), time, seconds, fc.double({ min: 0, max: 0.99, noNaN: true }), (key, start, window, part) => {
      limiter.take(key, [[window, 1]], start)
      const now = start + window * part

      const refused = limiter.take(key, [[window, 1]], now)

      assert.ok(!refused.allowed)
      assert.ok(limiter.take(key, [[window, 1]], now + refused.retryAfter).allowed)
    }),
  )
})

test('the strictest rule decides, and the verdict describes the one with the longest window', () => {
  const limiter = openRateLimiter()
  const rules: RateRule[] = [
    [10, 2],
    [60, 3],
    [1, 100],
  ]
  const take = (at: number) => limiter.take(1, rules, NOON + at)

  assert.deepEqual(take(0), { allowed: true, limit: 3, remaining: 2, resetAt: NOON + 60 })
  assert.ok(take(4).allowed)
  assert.deepEqual(take(5), { allowed: false, limit: 3, remaining: 0, resetAt: NOON + 64, retryAfter: 5 })
  assert.ok(take(10).allowed)
  assert.deepEqual(take(11), { allowed: false, limit: 3, remaining: 0, resetAt: NOON + 70, retryAfter: 49 })
})

test('rules may change between requests', () => {
  const limiter = openRateLimiter()
  for (let count = 0; count < 10; count += 1) limiter.take(1, [[60, 10]], NOON)

  assert.ok(!limiter.take(1, [[60, 5]], NOON + 1).allowed)
  assert.equal(limiter.take(1, [[60, 20]], NOON + 1).remaining, 9)
})

test('setting the clock back resets the count', () => {
  const limiter = openRateLimiter()
  limiter.take(1, [[60, 1]], NOON)

  assert.ok(limiter.take(1, [[60, 1]], NOON - 86_400).allowed)
})

test('idle keys are forgotten, and the number of keys is limited', () => {
  const limiter = openRateLimiter(100)

  for (let key = 0; key < 50; key += 1) limiter.take(key, usual, NOON)
  limiter.take('late', usual, NOON + 30)
  assert.equal(limiter.size, 51)
  limiter.take('later', usual, NOON + 61)
  assert.equal(limiter.size, 2)
  for (let key = 0; key < 500; key += 1) limiter.take(key, usual, NOON + 62)
  assert.equal(limiter.size, 100)
})

test('the limiter decides like a simple one that keeps a list of all requests', () => {
  const rules = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 12 })), {
    minLength: 1,
    maxLength: 3,
  })
  const gaps = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 })
  fc.assert(
    fc.property(rules, gaps, (rules, gaps) => {
      const limiter = openRateLimiter()
      const accepted: number[] = []
      let now = NOON
      for (const gap of gaps) {
        now += gap
        const within = (seconds: number) => accepted.filter((time) => time > now - seconds).length
        const expected = rules.every(([seconds, count]) => within(seconds) < count)

        assert.equal(limiter.take('key', rules, now).allowed, expected)

        if (expected) accepted.push(now)
      }
    }),
  )
})
