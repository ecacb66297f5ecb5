import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()
await server.freeze()

const DAY = 86_400

async function report(person: Person, status: string, params: Record<string, unknown> = {}) {
  return person.succeed('POST /users/me/presence', { status, ...params })
}

const idsOf = (body: { presences: object }) =>
  Object.keys(body.presences)
    .map(Number)
    .sort((a, b) => a - b)

test('39: modern entries have ids as keys and contain two integers', async () => {
  const { alice, bob } = await server.world()
  await report(alice, 'active')

  const { presences } = await report(bob, 'idle', { last_update_id: -1 })

  assert.deepEqual(idsOf({ presences }), [alice.id, bob.id])
  for (const entry of Object.values<Record<string, number>>(presences)) {
    assert.deepEqual(Object.keys(entry).sort(), ['active_timestamp', 'idle_timestamp'])
    assert.ok(Object.values(entry).every(Number.isInteger))
  }
})

test('40: a user who polls once a minute gets their own update, and none within the minute', async () => {
  const { alice } = await server.world()
  const first = await report(alice, 'active', { last_update_id: -1 })

  const now = await server.advance(60)
  const second = await report(alice, 'active', { last_update_id: first.presence_last_update_id })
  assert.deepEqual(second.presences, { [alice.id]: { active_timestamp: now, idle_timestamp: now } })
  assert.equal(second.presence_last_update_id, 2)

  const third = await report(alice, 'active', { last_update_id: 2 })
  assert.deepEqual([third.presences, third.presence_last_update_id], [{}, 2])
})

test('a poll returns the entries newer than its id, and nothing else', async () => {
  const { alice, bob, carol } = await server.world()
  await report(alice, 'active')
  await report(bob, 'active')
  await report(carol, 'active')

  for (const [last_update_id, expected] of [
    [-1, [alice.id, bob.id, carol.id]],
    [0, [alice.id, bob.id, carol.id]],
    [1, [bob.id, carol.id]],
    [2, [carol.id]],
    [3, []],
  ] as const) {
    const body = await report(carol, 'idle', { last_update_id })
    assert.deepEqual(idsOf(body), expected)
    assert.equal(body.presence_last_update_id, 3)
  }
})

test('an id that was never used is returned unchanged', async () => {
  const { alice } = await server.world()

  for (const last_update_id of [50, 1_000_000_000_000]) {
    const body = await report(alice, 'active', { last_update_id })
    assert.deepEqual([body.presences, body.presence_last_update_id], [{}, last_update_id])
  }
})

test('41: any number up to zero requests all recent entries', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')

  for (const last_update_id of [-1, -5, 0, -1_000_000])
    assert.deepEqual(idsOf(await report(alice, 'active', { last_update_id })), [alice.id, bob.id])
})

test('42: legacy entries contain everything twice, once with pushable', async () => {
  const { alice, bob } = await server.world()
  const now = await server.advance(1)
  await report(bob, 'active')

  const { presences } = await report(alice, 'idle')

  const bobs = { client: 'website', status: 'active', timestamp: now }
  assert.deepEqual(presences[bob.email], { aggregated: bobs, website: { ...bobs, pushable: false } })
  const own = { client: 'website', status: 'idle', timestamp: now }
  assert.deepEqual(presences[alice.email], { aggregated: own, website: { ...own, pushable: false } })
})

test('43: requests with an id or for slim entries are modern, all others legacy', async () => {
  const { alice } = await server.world()
  const byId = [String(alice.id)]

  for (const [params, keys] of [
    [{}, [alice.email]],
    [{ slim_presence: false }, [alice.email]],
    [{ slim_presence: true }, byId],
    [{ last_update_id: -1, slim_presence: false }, byId],
    [{ last_update_id: 0, slim_presence: true }, byId],
    [{ history_limit_days: 5 }, [alice.email]],
  ] as const) {
    const body = await report(alice, 'active', params)
    assert.deepEqual(Object.keys(body.presences), keys)
    assert.equal(body.presence_last_update_id, 1)
  }
})

test('44: in legacy entries, users stay active for 70 seconds', async () => {
  const { alice, bob } = await server.world()
  const start = await server.advance(1)
  await report(bob, 'active')
  const entryOfBob = async () => (await report(alice, 'idle')).presences[bob.email].website

  await server.advance(60)
  await report(bob, 'idle')
  assert.deepEqual(await entryOfBob(), { client: 'website', status: 'active', timestamp: start, pushable: false })

  const now = await server.advance(60)
  await report(bob, 'idle')
  assert.deepEqual(await entryOfBob(), { client: 'website', status: 'idle', timestamp: now, pushable: false })
})

test('44: exactly 70 seconds still count', async () => {
  const { alice, bob } = await server.world()
  const start = await server.advance(1)
  await report(bob, 'active')

  await server.advance(70)
  await report(bob, 'idle')

  const { website } = (await report(alice, 'idle')).presences[bob.email]
  assert.deepEqual([website.status, website.timestamp], ['active', start])
})

test('44: the status in legacy entries does not change with time', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')

  await server.advance(3 * DAY)

  assert.equal((await report(alice, 'idle')).presences[bob.email].aggregated.status, 'active')
})

test('44: a user who was only ever idle counts as active in the first 70 seconds of the account only', async () => {
  const world = await server.world()
  const dave = await world.createUser('dave')
  const now = await server.advance(1)

  const { aggregated } = (await report(dave, 'idle')).presences[dave.email]
  assert.deepEqual([aggregated.status, aggregated.timestamp], ['active', dave.joinedAt])
  assert.deepEqual((await report(world.alice, 'idle')).presences[world.alice.email].aggregated, {
    client: 'website',
    status: 'idle',
    timestamp: now,
  })
})

test('45: entries older than two weeks are left out, unless more are requested', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')

  await server.advance(13 * DAY)
  for (const params of [{}, { last_update_id: -1 }, { last_update_id: 0 }, { slim_presence: true }])
    assert.equal(Object.keys((await report(alice, 'idle', params)).presences).length, 2)

  await server.advance(2 * DAY)
  for (const params of [{}, { last_update_id: -1 }, { last_update_id: 0 }, { slim_presence: true }])
    assert.equal(Object.keys((await report(alice, 'idle', params)).presences).length, 1)
  const more = await report(alice, 'idle', { last_update_id: -1, history_limit_days: 16 })
  assert.deepEqual(idsOf(more), [alice.id, bob.id])
})

test('45: the age of the connection counts, not of the activity, to the second', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')
  await server.advance(DAY)
  await report(bob, 'idle')

  const recent = { last_update_id: -1, history_limit_days: 1 }
  await server.advance(DAY)
  assert.deepEqual(idsOf(await report(alice, 'idle', recent)), [alice.id, bob.id])
  await server.advance(1)
  assert.deepEqual(idsOf(await report(alice, 'idle', recent)), [alice.id])
})

test('46, 47: zero or negative days return nothing', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')

  for (const history_limit_days of [0, -1, -1_000]) {
    const legacy = await report(alice, 'active', { history_limit_days })
    assert.deepEqual([legacy.presences, legacy.presence_last_update_id], [{}, -1])
    for (const last_update_id of [-1, 0, -5]) {
      const modern = await report(alice, 'active', { history_limit_days, last_update_id })
      assert.deepEqual([modern.presences, modern.presence_last_update_id], [{}, last_update_id])
    }
  }
})

test('48: days do not apply with an id above zero, not even zero days', async () => {
  const { alice, bob, carol } = await server.world()
  await report(alice, 'active')
  await report(bob, 'active')
  await server.advance(21 * DAY)

  for (const params of [{}, { history_limit_days: 1 }, { history_limit_days: 0 }, { history_limit_days: -3 }]) {
    const body = await report(carol, 'idle', { last_update_id: 1, ...params })
    assert.deepEqual(idsOf(body), [bob.id, carol.id])
  }
  assert.deepEqual(idsOf(await report(carol, 'idle', { last_update_id: -1 })), [carol.id])
})

test('the returned id is the newest of the returned entries, which may be older than the newest of all', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')
  await server.advance(100)
  await report(alice, 'active')
  await server.advance(DAY - 50)

  const body = await report(alice, 'active', { history_limit_days: 1, last_update_id: -1 })
  assert.deepEqual([idsOf(body), body.presence_last_update_id], [[alice.id], 3])
})

test('49: server_timestamp is the time of the server, with its fraction', async () => {
  const { alice } = await server.world()

  const now = await server.advance(0.25)
  const answer = await alice.call('POST /users/me/presence', { status: 'active' })

  assert.equal(answer.body.server_timestamp, now)
  await server.advance(0.75)
})

test('52: there is no zephyr_mirror_active', async () => {
  const { alice } = await server.world()

  assert.equal('zephyr_mirror_active' in (await report(alice, 'active')), false)
})
