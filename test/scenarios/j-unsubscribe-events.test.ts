import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type EventReader, listen } from './events.ts'
import { join } from './messages.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()

const LEAVE = 'DELETE /users/me/subscriptions'

async function listenAll<Name extends string>(people: Record<Name, Person>): Promise<Record<Name, EventReader>> {
  const pairs = Object.entries(people) as [Name, Person][]
  const queues = pairs.map(async ([name, person]) => [name, await listen(person, ['subscription', 'stream'])])
  return Object.fromEntries(await Promise.all(queues))
}

const sorted = (ids: readonly number[]) => ids.toSorted((one, other) => one - other)

test('151: a user who leaves receives an event, others receive a peer event', async () => {
  const { alice, bob, carol, owner, guest, channels } = await server.world()
  const received = await listenAll({ alice, bob, carol, owner, guest })

  await alice.succeed(LEAVE, { subscriptions: ['pub', 'def1'] })

  const [own, ...more] = await received.alice()
  assert.deepEqual(more, [])
  assert.deepEqual(
    own.subscriptions.toSorted((one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)),
    [
      { name: 'def1', stream_id: channels.def1 },
      { name: 'pub', stream_id: channels.pub },
    ],
  )
  assert.deepEqual([own.type, own.op], ['subscription', 'remove'])
  for (const name of ['bob', 'carol', 'owner'] as const) {
    const events = await received[name]()
    assert.ok(events.every(({ type, op }) => type === 'subscription' && op === 'peer_remove'))
    assert.ok(events.every(({ user_ids }) => user_ids.length === 1 && user_ids[0] === alice.id))
    assert.deepEqual(sorted(events.flatMap(({ stream_ids }) => stream_ids)), sorted([channels.pub, channels.def1]))
  }
  assert.deepEqual(await received.guest(), [])
})

test('152: two users who are removed together are one event for the others, and receive none about each other', async () => {
  const { admin, alice, bob, carol, channels } = await server.world()
  await join(carol, 'pub')
  const received = await listenAll({ alice, bob, carol })

  await admin.succeed(LEAVE, { subscriptions: ['pub'], principals: [carol.id, bob.id] })

  assert.deepEqual(await received.alice(), [
    { type: 'subscription', op: 'peer_remove', stream_ids: [channels.pub], user_ids: sorted([bob.id, carol.id]) },
  ])
  for (const name of ['bob', 'carol'] as const)
    assert.deepEqual(
      (await received[name]()).map(({ op, subscriptions }) => [op, subscriptions]),
      [['remove', [{ name: 'pub', stream_id: channels.pub }]]],
    )
})

test('the peer event of a private channel is sent to those who can see it', async () => {
  const { alice, bob, carol, admin, channels } = await server.world()
  await join(alice, 'shared', [bob])
  const received = await listenAll({ alice, bob, carol, admin })

  await bob.succeed(LEAVE, { subscriptions: ['shared'] })

  const peer = { type: 'subscription', op: 'peer_remove', stream_ids: [channels.shared], user_ids: [bob.id] }
  assert.deepEqual(await received.alice(), [peer])
  assert.deepEqual(await received.admin(), [peer])
  assert.deepEqual(await received.carol(), [])
  const own = await received.bob()
  assert.deepEqual(
    own.map(({ type, op }) => [type, op]),
    [
      ['subscription', 'remove'],
      ['stream', 'delete'],
    ],
  )
  assert.deepEqual(own[1].stream_ids, [channels.shared])
  assert.deepEqual(own[1].streams, [{ stream_id: channels.shared }])
})

test('153: a guest who leaves a public channel can no longer see it, one who leaves a web-public one can', async () => {
  const { owner, guest, channels } = await server.world()
  for (const channel of ['pub', 'web']) await join(owner, channel, [guest])
  const received = await listen(guest, ['subscription', 'stream'])

  await guest.succeed(LEAVE, { subscriptions: ['pub', 'web'] })

  const events = await received()
  const deleted = events.filter(({ type, op }) => type === 'stream' && op === 'delete')
  assert.deepEqual(
    deleted.map(({ stream_ids }) => stream_ids),
    [[channels.pub]],
  )
  assert.equal(events.filter(({ op }) => op === 'remove').length, 1)
})

test('a member who leaves a public channel can still see it', async () => {
  const { bob } = await server.world()
  const received = await listen(bob, ['stream'])

  await bob.succeed(LEAVE, { subscriptions: ['pub'] })

  assert.deepEqual(await received(), [])
})

test('a request that removes no one emits nothing', async () => {
  const { alice, bob, carol } = await server.world()
  const received = await listenAll({ alice, bob, carol })

  await carol.succeed(LEAVE, { subscriptions: ['pub'] })
  await alice.call(LEAVE, { subscriptions: ['pub', 'nope'] })
  await alice.call(LEAVE, { subscriptions: ['pub'], principals: [bob.id] })

  for (const listening of Object.values(received)) assert.deepEqual(await listening(), [])
})

test('unread messages become read, and the user who left receives the flags', async () => {
  const { alice, bob } = await server.world()
  const { id } = await alice.succeed('POST /messages', { type: 'channel', to: 'pub', topic: 'tea', content: 'hello' })
  const received = await listen(bob, ['update_message_flags'])

  await bob.succeed(LEAVE, { subscriptions: ['pub'] })

  const [event] = await received()
  assert.deepEqual([event.op, event.flag, event.messages], ['add', 'read', [id]])
})
