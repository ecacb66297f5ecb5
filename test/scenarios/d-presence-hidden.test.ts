import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { join, sendDirect } from './messages.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()
await server.freeze()

async function report(person: Person, status: string, params: Record<string, unknown> = { last_update_id: -1 }) {
  return person.succeed('POST /users/me/presence', { status, ...params })
}

async function seenBy(person: Person): Promise<number[]> {
  const { presences } = await report(person, 'idle')
  return Object.keys(presences)
    .map(Number)
    .sort((a, b) => a - b)
}

test('36: users who stop sharing are left out for others immediately, in every format', async () => {
  const { alice, bob, carol } = await server.world()
  await report(bob, 'active')
  await report(alice, 'active')
  assert.deepEqual(await seenBy(alice), [alice.id, bob.id])

  await bob.succeed('PATCH /settings', { presence_enabled: false })

  assert.deepEqual(await seenBy(alice), [alice.id])
  assert.deepEqual((await report(alice, 'idle', { last_update_id: 2 })).presences, {})
  assert.deepEqual(await seenBy(carol), [alice.id, carol.id])
  assert.deepEqual(Object.keys((await report(alice, 'idle', {})).presences), [alice.email, carol.email])
  assert.equal((await alice.succeed('GET /realm/presence')).presences[bob.email], undefined)
})

test('36: reports of a user who does not share succeed without effect', async () => {
  const { alice, bob } = await server.world()
  await server.testing(`PATCH /testing/users/${bob.id}`, { presence_enabled: false })

  const first = await report(bob, 'active')
  assert.deepEqual([first.presences, first.presence_last_update_id], [{}, -1])
  refused(await bob.call('POST /users/me/presence', { status: 'asleep' }), 'Invalid status: asleep')

  const { presences, presence_last_update_id } = await report(alice, 'active')
  assert.deepEqual([Object.keys(presences), presence_last_update_id], [[String(alice.id)], 1])
})

test('a user who does not share can still fetch the presence of others', async () => {
  const { alice, bob } = await server.world()
  await report(alice, 'active')
  await bob.succeed('PATCH /settings', { presence_enabled: false })

  assert.deepEqual(await seenBy(bob), [alice.id])
})

test('users who stop sharing see themselves as offline: both times 265 seconds ago', async () => {
  const { bob } = await server.world()
  const now = await server.advance(1)
  await report(bob, 'active')

  await bob.succeed('PATCH /settings', { presence_enabled: false })

  const { presences, presence_last_update_id } = await report(bob, 'active')
  assert.deepEqual(presences[bob.id], { active_timestamp: now - 265, idle_timestamp: now - 265 })
  assert.equal(presence_last_update_id, 2)
})

test('times older than 265 seconds stay the same when sharing stops', async () => {
  const { bob } = await server.world()
  const then = await server.advance(1)
  await report(bob, 'active')
  await server.advance(266)

  await bob.succeed('PATCH /settings', { presence_enabled: false })

  const { presences, presence_last_update_id } = await report(bob, 'active')
  assert.deepEqual(presences[bob.id], { active_timestamp: then, idle_timestamp: then })
  assert.equal(presence_last_update_id, 1)
})

test('a user who shares again is active from that moment for everyone', async () => {
  const { alice, bob } = await server.world()
  await report(bob, 'active')
  await bob.succeed('PATCH /settings', { presence_enabled: false })
  const now = await server.advance(100)

  await bob.succeed('PATCH /settings', { presence_enabled: true })

  const { presences } = await report(alice, 'idle')
  assert.deepEqual(presences[bob.id], { active_timestamp: now, idle_timestamp: now })
})

test('user objects contain whether the user shares their presence', async () => {
  const { alice, bob } = await server.world()
  await bob.succeed('PATCH /settings', { presence_enabled: false })

  assert.deepEqual((await alice.succeed('GET /users/me')).user_id, alice.id)
  refused(await alice.call(`GET /users/${bob.id}/presence`), `No presence data for ${bob.id}`)
})

test('51: a hidden address is not revealed: the key is the API address', async () => {
  const { alice, bob, host } = await server.world()
  await bob.succeed('PATCH /settings', { email_address_visibility: 5 })
  await report(bob, 'active')

  const { presences } = await report(alice, 'idle', {})

  assert.deepEqual(Object.keys(presences).sort(), [alice.email, `user${bob.id}@${host}`].sort())
})

test('an organization without presence returns no entries, and the ids unchanged', async () => {
  const world = await server.world()
  await report(world.bob, 'active')
  await world.changeSettings({ presence_disabled: true })

  for (const [params, id] of [
    [{}, -1],
    [{ slim_presence: true }, -1],
    [{ last_update_id: -1 }, -1],
    [{ last_update_id: 0 }, 0],
    [{ last_update_id: 17 }, 17],
  ] as const) {
    const body = await report(world.alice, 'active', params)
    assert.deepEqual([body.presences, body.presence_last_update_id], [{}, id])
    assert.equal(typeof body.server_timestamp, 'number')
  }
  refused(await world.alice.call('POST /users/me/presence', { status: 'x' }), 'Invalid status: x')
})

test('reports are stored while an organization shows no presence', async () => {
  const world = await server.world()
  await world.changeSettings({ presence_disabled: true })
  await report(world.alice, 'active')

  await world.changeSettings({ presence_disabled: false })

  assert.deepEqual(await seenBy(world.bob), [world.alice.id, world.bob.id])
})

test('deactivated accounts are left out, and return with their account', async () => {
  const world = await server.world()
  await report(world.bob, 'active')

  await world.owner.succeed(`DELETE /users/${world.bob.id}`)
  assert.deepEqual(await seenBy(world.alice), [world.alice.id])

  await world.owner.succeed(`POST /users/${world.bob.id}/reactivate`)
  assert.deepEqual(await seenBy(world.alice), [world.alice.id, world.bob.id])
})

test('a guest who may not see all users sees all presence, unless the server limits it', async () => {
  const world = await server.world()
  await world.changeSettings({ can_access_all_users_group: 'role:members' })
  await report(world.carol, 'active')

  assert.deepEqual(await seenBy(world.guest), [world.carol.id, world.guest.id])
})

test('with the limit, such a guest sees users with a shared channel or conversation, and members see everyone', async (t) => {
  await server.testing('PATCH /testing/settings', { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true })
  t.after(() => server.testing('PATCH /testing/settings', { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: false }))
  const world = await server.world()
  const { owner, admin, moderator, alice, bob, carol, guest } = world
  const everybody = [owner, admin, moderator, alice, bob, carol, guest]
  await world.changeSettings({ can_access_all_users_group: 'role:members' })
  for (const person of everybody) await report(person, 'active')
  assert.deepEqual(await seenBy(guest), [guest.id])

  await join(owner, 'pub', [owner, guest])
  assert.deepEqual(
    await seenBy(guest),
    [owner, alice, bob, guest].map(({ id }) => id).sort((a, b) => a - b),
  )

  await sendDirect(moderator, [guest])
  await sendDirect(admin, [carol, guest])
  assert.deepEqual(
    await seenBy(guest),
    everybody.map(({ id }) => id).sort((a, b) => a - b),
  )
  assert.equal((await seenBy(alice)).length, everybody.length)
})

test('with the limit, a guest in the group that may see all users sees everyone', async (t) => {
  await server.testing('PATCH /testing/settings', { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true })
  t.after(() => server.testing('PATCH /testing/settings', { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: false }))
  const world = await server.world()
  await report(world.carol, 'active')

  assert.deepEqual(await seenBy(world.guest), [world.carol.id, world.guest.id])
})

test('the presence of a single user becomes offline', async () => {
  const { alice, bob, deactivated, alicebot } = await server.world()
  const then = await server.advance(1)
  await report(bob, 'active')
  const presenceOf = async (who: number | string) => (await alice.succeed(`GET /users/${who}/presence`)).presence

  const entry = { status: 'active', timestamp: then }
  assert.deepEqual(await presenceOf(bob.id), { aggregated: entry, website: entry })
  await server.advance(201)
  assert.deepEqual(await presenceOf(bob.email), { aggregated: { ...entry, status: 'offline' }, website: entry })

  refused(await alice.call(`GET /users/${alice.id}/presence`), `No presence data for ${alice.id}`)
  refused(await alice.call('GET /users/999999/presence'), 'No such user')
  refused(await alice.call(`GET /users/${deactivated.id}/presence`), 'No such user')
  refused(await alice.call(`GET /users/${alicebot.id}/presence`), 'Presence is not supported for bot users.')
})

test('the presence of the organization has the legacy format, even for bots', async () => {
  const { alice, alicebot } = await server.world()
  await report(alice, 'active')

  const body = await alicebot.succeed('GET /realm/presence')

  assert.deepEqual(Object.keys(body).sort(), ['msg', 'presences', 'result', 'server_timestamp'])
  assert.deepEqual(Object.keys(body.presences[alice.email].website).sort(), [
    'client',
    'pushable',
    'status',
    'timestamp',
  ])
})
