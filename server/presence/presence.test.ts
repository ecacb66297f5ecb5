import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  applyReport,
  correctTimes,
  isOffline,
  latestTimes,
  type PresenceTimes,
  timesWhenSharingStops,
  toPresenceJson,
  toWebsitePresenceJson,
} from './presence.ts'

const NOW = 1_900_000_000
const JOINED = NOW - 86_400

/** The times of a user who was last active `active` seconds ago and last connected `connected` seconds ago. */
const ago = (active: number | null, connected: number): PresenceTimes => ({
  lastActiveAt: active === null ? null : NOW - active,
  lastConnectedAt: NOW - connected,
})

test('a first report always raises an event, and an idle one sets no activity', () => {
  assert.deepEqual(applyReport(null, 'active', NOW), { times: ago(0, 0), raisesEvent: true })
  assert.deepEqual(applyReport(null, 'idle', NOW), { times: ago(null, 0), raisesEvent: true })
})

test('reports replace times older than 55 seconds, and raise an event after more than 130 seconds without activity', () => {
  const cases: [PresenceTimes, 'active' | 'idle', PresenceTimes | null, boolean][] = [
    [ago(30, 30), 'active', null, false],
    [ago(55, 55), 'active', null, false],
    [ago(56, 56), 'active', ago(0, 0), false],
    [ago(130, 130), 'active', ago(0, 0), false],
    [ago(131, 131), 'active', ago(0, 0), true],
    [ago(55, 55), 'idle', null, false],
    [ago(56, 56), 'idle', ago(56, 0), false],
    [ago(131, 131), 'idle', ago(131, 0), false],
    // A report of activity updates the time of the connection, even if that is recent.
    [ago(60, 5), 'active', ago(0, 0), false],
    [ago(null, 5), 'active', ago(0, 0), true],
    [ago(null, 0), 'active', ago(0, 0), true],
    // The clock of the node that recorded the connection is ahead.
    [ago(null, -5), 'active', ago(0, -5), true],
    [ago(30, 5), 'active', null, false],
    [{ lastActiveAt: null, lastConnectedAt: null }, 'idle', ago(null, 0), false],
  ]
  for (const [before, status, times, raisesEvent] of cases) {
    assert.deepEqual(applyReport(before, status, NOW), { times, raisesEvent }, JSON.stringify([before, status]))
  }
})

test('a clock that was set back changes nothing', () => {
  assert.deepEqual(applyReport(ago(-3600, -3600), 'active', NOW), { times: null, raisesEvent: false })
})

test('a time more than ten seconds ahead becomes the current time, and the other time stays', () => {
  assert.deepEqual(correctTimes(ago(5, -11), NOW), ago(5, 0))
  assert.deepEqual(correctTimes(ago(-11, -10), NOW), ago(0, -10))
  assert.deepEqual(correctTimes(ago(null, -11), NOW), ago(null, 0))
})

test('a user who stops sharing was last seen 265 seconds ago, or earlier', () => {
  assert.equal(timesWhenSharingStops(null, NOW), null)
  assert.equal(timesWhenSharingStops(ago(300, 266), NOW), null)
  assert.equal(timesWhenSharingStops({ lastActiveAt: null, lastConnectedAt: null }, NOW), null)
  assert.deepEqual(timesWhenSharingStops(ago(0, 0), NOW), ago(265, 265))
  assert.deepEqual(timesWhenSharingStops(ago(900, 10), NOW), ago(900, 265))
  assert.deepEqual(timesWhenSharingStops(ago(null, 10), NOW), ago(null, 265))
})

test('of two records, the later value of each time counts', () => {
  assert.equal(latestTimes(null, null), null)
  assert.deepEqual(latestTimes(null, ago(2, 1)), ago(2, 1))
  assert.deepEqual(latestTimes(ago(2, 1), null), ago(2, 1))
  assert.deepEqual(latestTimes(ago(9, 1), ago(5, 3)), ago(5, 1))
  assert.deepEqual(latestTimes(ago(null, 5), ago(9, 3)), ago(9, 3))
  assert.deepEqual(latestTimes(ago(9, 3), ago(null, 5)), ago(9, 3))
})

test('times are whole seconds, rounded down, and default to the time when the user joined', () => {
  assert.deepEqual(toPresenceJson({ lastActiveAt: NOW + 0.9, lastConnectedAt: NOW + 1.9 }, JOINED), {
    active_timestamp: NOW,
    idle_timestamp: NOW + 1,
  })
  assert.deepEqual(toPresenceJson({ lastActiveAt: null, lastConnectedAt: null }, JOINED + 0.5), {
    active_timestamp: JOINED,
    idle_timestamp: JOINED,
  })
})

test('in the older format, a user is active if the last activity is at most 70 seconds older than the last connection', () => {
  const website = (times: PresenceTimes, joinedAt = JOINED) => toWebsitePresenceJson(times, joinedAt)

  assert.deepEqual(website(ago(70, 0)), { client: 'website', status: 'active', timestamp: NOW - 70 })
  assert.deepEqual(website(ago(71, 0)), { client: 'website', status: 'idle', timestamp: NOW })
  assert.deepEqual(website(ago(10_000, 10_000)), { client: 'website', status: 'active', timestamp: NOW - 10_000 })
  assert.deepEqual(website(ago(null, 0)), { client: 'website', status: 'idle', timestamp: NOW })
  assert.deepEqual(website(ago(null, 0), NOW - 69), { client: 'website', status: 'active', timestamp: NOW - 69 })
})

test('users are offline more than 200 seconds after their last report', () => {
  assert.equal(isOffline(NOW - 200, NOW), false)
  assert.equal(isOffline(NOW - 200, NOW + 0.75), false)
  assert.equal(isOffline(NOW - 201, NOW), true)
})
