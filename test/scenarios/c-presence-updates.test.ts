import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused, succeeded } from './answers.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()
await server.freeze()

const DAY = 86_400

type Status = 'active' | 'idle'

/** Reports, fetches everything, and returns the times and the update id of the user's own entry. */
async function report(person: Person, status: Status, params: Record<string, unknown> = {}) {
  const body = await person.succeed('POST /users/me/presence', { status, last_update_id: -1, ...params })
  const own = body.presences[person.id] ?? {}
  return { active: own.active_timestamp, idle: own.idle_timestamp, id: body.presence_last_update_id, body }
}

async function clock(): Promise<number> {
  return (await server.testing('GET /testing/clock')).now
}

test('29: the first active report creates an entry that is active now', async () => {
  const { alice } = await server.world()

  const { active, idle, id } = await report(alice, 'active')

  assert.deepEqual({ active, idle, id }, { active: await clock(), idle: await clock(), id: 1 })
})

test('a first idle report has no activity: the creation of the account replaces it', async () => {
  const { alice } = await server.world()

  const { active, idle, id } = await report(alice, 'idle')

  assert.deepEqual({ active, idle, id }, { active: alice.joinedAt, idle: await clock(), id: 1 })
})

test('30: any other status is refused, after all parameters, and changes nothing', async () => {
  const { alice } = await server.world()

  refused(await alice.call('POST /users/me/presence', { status: 'foo' }), 'Invalid status: foo')
  const both = { status: 'foo', history_limit_days: 'x' }
  refused(await alice.call('POST /users/me/presence', both), 'history_limit_days is not valid JSON')

  assert.equal((await report(alice, 'active')).id, 1)
})

test('31, 32: another report changes nothing until more than 55 seconds have passed', async () => {
  const { alice } = await server.world()
  const first = await report(alice, 'active')

  for (const seconds of [30, 25]) {
    await server.advance(seconds)
    const { active, idle, id } = await report(alice, 'active')
    assert.deepEqual({ active, idle, id }, { active: first.active, idle: first.idle, id: first.id })
  }

  const now = await server.advance(1)
  const { active, idle, id } = await report(alice, 'active')
  assert.deepEqual({ active, idle, id }, { active: now, idle: now, id: first.id + 1 })
})

test('a fraction of a second more than 55 is enough, and times are truncated to whole seconds', async () => {
  const { alice } = await server.world()
  await report(alice, 'active')

  const now = await server.advance(55.6)
  const { active, idle, id } = await report(alice, 'active')

  assert.deepEqual({ active, idle, id }, { active: Math.floor(now), idle: Math.floor(now), id: 2 })
  await server.advance(Math.ceil(now) - now)
})

test('33: the first active report takes effect immediately, however recent the idle one before it', async () => {
  const { alice } = await server.world()
  await report(alice, 'idle')

  const now = await server.advance(5)
  const { active, idle, id } = await report(alice, 'active')

  assert.deepEqual({ active, idle, id }, { active: now, idle: now, id: 2 })
})

test('an idle report updates only the connection, and never clears the activity', async () => {
  const { alice } = await server.world()
  const first = await report(alice, 'active')

  const now = await server.advance(56)
  const { active, idle, id } = await report(alice, 'idle')
  assert.deepEqual({ active, idle, id }, { active: first.active, idle: now, id: 2 })

  await server.advance(55)
  assert.equal((await report(alice, 'idle')).id, 2)
})

test('a new active report updates both times, even if the connection is recent', async () => {
  const { alice } = await server.world()
  await report(alice, 'active')
  await server.advance(50)
  await report(alice, 'idle')
  await server.advance(10)
  await report(alice, 'idle')

  const now = await server.advance(40)
  const { active, idle, id } = await report(alice, 'active')

  assert.deepEqual({ active, idle, id }, { active: now, idle: now, id: 3 })
})

test('34: with ping_only only the id is returned: the one that was sent, or -1', async () => {
  const { alice, bob } = await server.world()
  const ping = (params: object) =>
    alice.succeed('POST /users/me/presence', { status: 'active', ping_only: true, ...params })

  const bare = { result: 'success', msg: '' }
  assert.deepEqual(await ping({}), { ...bare, presence_last_update_id: -1 })
  for (const last_update_id of [-1, 0, 1, 77, -5])
    assert.deepEqual(await ping({ last_update_id }), { ...bare, presence_last_update_id: last_update_id })
  assert.deepEqual(await ping({ slim_presence: true }), { ...bare, presence_last_update_id: -1 })

  assert.ok((await report(bob, 'active')).body.presences[alice.id])
})

test('34: parameters that ping_only does not need are still validated', async () => {
  const { alice } = await server.world()

  const ping = { status: 'active', ping_only: true, last_update_id: 'x' }
  refused(await alice.call('POST /users/me/presence', ping), 'last_update_id is not valid JSON')
})

test('35: new_user_input has no visible effect', async () => {
  const { alice } = await server.world()
  const { body } = await report(alice, 'active')

  for (const new_user_input of [true, false])
    assert.deepEqual((await report(alice, 'active', { new_user_input })).body, body)
})

test('37: every report with an effect takes the next id, for any user', async () => {
  const { alice, bob } = await server.world()

  const ids = []
  for (const [person, status] of [
    [alice, 'idle'],
    [bob, 'idle'],
    [alice, 'active'],
    [alice, 'active'],
    [bob, 'active'],
  ] as const)
    ids.push((await report(person, status)).id)

  assert.deepEqual(ids, [1, 2, 3, 3, 4])
})

test('38: concurrent reports of different users all count, each with its own id', async () => {
  const world = await server.world()
  const { owner, admin, moderator, alice, bob, carol, guest } = world
  const people = [owner, admin, moderator, alice, bob, carol, guest]
  for (let index = people.length; index < 20; index += 1) people.push(await world.createUser(`p${index}`))

  const answers = await Promise.all(people.map((each) => each.call('POST /users/me/presence', { status: 'active' })))

  for (const answer of answers) succeeded(answer)
  const { body, id } = await report(alice, 'active')
  assert.equal(Object.keys(body.presences).length, 20)
  assert.equal(id, 20)
  for (let after = 1; after < 20; after += 1) {
    const later = await report(alice, 'active', { last_update_id: after })
    assert.equal(Object.keys(later.body.presences).length, 20 - after)
  }
})

test('concurrent reports of one user count once', async () => {
  const { alice } = await server.world()

  const reports = Array.from({ length: 10 }, () => alice.call('POST /users/me/presence', { status: 'active' }))
  for (const answer of await Promise.all(reports)) assert.equal(succeeded(answer).presence_last_update_id, 1)
})

test('a guest reports like any user', async () => {
  const { guest, alice } = await server.world()
  await report(guest, 'active')

  assert.ok((await report(alice, 'active')).body.presences[guest.id])
})

test('the reporting client does not matter', async () => {
  const { alice } = await server.world()
  await report(alice, 'active', { client: 'ZulipMobile' })
  await server.advance(10)

  const headers = { 'user-agent': 'Another/1.0' }
  const again = await alice.call('POST /users/me/presence', { status: 'idle', client: 'website' }, { headers })

  const { presences, presence_last_update_id } = succeeded(again)
  assert.equal(presence_last_update_id, 1)
  assert.equal(presences[alice.email].website.status, 'active')
})

test('an entry remains without further reports', async () => {
  const { alice, bob } = await server.world()
  const { active } = await report(alice, 'active')

  await server.advance(3 * DAY)
  assert.equal((await report(bob, 'idle')).body.presences[alice.id].active_timestamp, active)
  await server.advance(60)
  assert.equal((await report(alice, 'active')).id, 3)
})
