import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { join } from './messages.ts'
import { startServer } from './server.ts'
import type { Person, World } from './world.ts'

const server = await startServer()

const LEAVE = 'DELETE /users/me/subscriptions'
const NOT_PERMITTED = 'Insufficient permission'

/** Returns whether a user is subscribed to a channel. */
async function isIn({ owner, channels }: World, person: Person, channel: keyof World['channels']): Promise<boolean> {
  return (await owner.succeed(`GET /users/${person.id}/subscriptions/${channels[channel]}`)).is_subscribed
}

const remove = (actor: Person, subscriptions: readonly string[], principals: readonly unknown[]) =>
  actor.call(LEAVE, { subscriptions, principals })

test('141: empty principals mean the caller', async () => {
  const world = await server.world()

  const { body } = await remove(world.alice, ['pub'], [])

  assert.deepEqual(body.removed, ['pub'])
  assert.deepEqual([await isIn(world, world.alice, 'pub'), await isIn(world, world.bob, 'pub')], [false, true])
})

test('142: a channel is listed once for each user who was removed from it, and for each who was not subscribed', async () => {
  const { admin, alice, bob, carol, moderator } = await server.world()
  await join(carol, 'pub')

  const { body } = await remove(admin, ['PUB'], [bob.id, carol.id, moderator.id, bob.id])

  assert.deepEqual([body.removed, body.not_removed], [['pub', 'pub'], ['pub']])
  assert.deepEqual((await remove(admin, ['pub', 'web'], [alice.id, bob.id])).body.removed.sort(), ['pub', 'web'])
})

test('principals are ids or addresses in any case, and may include the caller', async () => {
  const world = await server.world()

  assert.equal((await remove(world.admin, ['pub'], [world.bob.email.toUpperCase()])).body.removed.length, 1)
  assert.equal((await remove(world.alice, ['pub'], [world.alice.id])).body.removed.length, 1)
  assert.equal((await remove(world.alice, ['web'], [world.alice.email])).body.removed.length, 1)
})

test('143, 144: an unknown user is refused, and no one is removed', async () => {
  const [world, other] = [await server.world(), await server.world()]
  const { admin, alice, bob } = world
  const nobody = [
    ['nobody@example.com'],
    [bob.id, other.alice.id],
    [999_999_999],
    [other.bob.email],
    [-1],
    [bob.email, 'x'],
  ]

  for (const principals of nobody) refused(await remove(admin, ['pub'], principals), 'No such user')
  refused(await remove(alice, ['pub'], ['nobody@example.com']), 'No such user')

  assert.ok(await isIn(world, bob, 'pub'))
})

test('143: principals are a list of ids or of addresses', async () => {
  const { admin } = await server.world()
  const badly = async (principals: unknown) => {
    const { status, body } = await admin.call(LEAVE, { subscriptions: ['pub'], principals })
    return [status, body.code]
  }

  for (const principals of ['bob', '"bob"', '7', 'null', [null], [1.5], [true], [{ id: 1 }], [[1]]])
    assert.deepEqual(await badly(principals), [400, 'BAD_REQUEST'], JSON.stringify(principals))
})

test('a deactivated user is refused', async () => {
  const { admin, deactivated } = await server.world()

  refused(await remove(admin, ['pub'], [deactivated.id]), 'User is deactivated')
})

test('145: errors about principals come before errors about channels', async () => {
  const { admin } = await server.world()

  refused(await remove(admin, ['nope'], ['nobody@example.com']), 'No such user')
  refused(await remove(admin, [''], ['nobody@example.com']), 'No such user')
})

test('146: an administrator removes users from a private channel that they are not in', async () => {
  const world = await server.world()

  for (const [actor, channel] of [
    [world.admin, 'shared'],
    [world.owner, 'protected'],
  ] as const) {
    assert.deepEqual((await remove(actor, [channel], [world.alice.id])).body.removed, [channel])
    assert.equal(await isIn(world, world.alice, channel), false)
  }
})

test('moderators, members and guests cannot remove others', async () => {
  const world = await server.world()
  await join(world.owner, 'pub', [world.guest])

  for (const actor of [world.moderator, world.carol, world.guest])
    refused(await remove(actor, ['pub'], [world.bob.id]), NOT_PERMITTED)
  refused(await remove(world.carol, ['pub'], [world.carol.id, world.bob.id]), NOT_PERMITTED)
  assert.ok(await isIn(world, world.bob, 'pub'))
})

test('users can remove their own bots, and no other ones', async () => {
  const world = await server.world()
  await join(world.alice, 'pub', [world.alicebot])

  refused(await remove(world.bob, ['pub'], [world.alicebot.id]), NOT_PERMITTED)
  refused(await remove(world.alicebot, ['pub'], [world.alice.id]), NOT_PERMITTED)
  assert.deepEqual((await remove(world.alice, ['pub'], [world.alicebot.id, world.alice.id])).body.removed, [
    'pub',
    'pub',
  ])
})

test('a bot can leave by itself', async () => {
  const { alice, alicebot } = await server.world()
  await join(alice, 'pub', [alicebot])

  assert.deepEqual((await alicebot.succeed(LEAVE, { subscriptions: ['pub'] })).removed, ['pub'])
})

test('147: a user who may remove others from only one of two channels removes them from neither', async () => {
  const world = await server.world()
  const { owner, alice, bob, carol, channels } = world
  await join(alice, 'def1', [bob])
  const group = { new: { direct_members: [carol.id], direct_subgroups: [] } }
  await owner.succeed(`PATCH /streams/${channels.pub}`, { can_remove_subscribers_group: group })

  refused(await remove(carol, ['pub', 'def1'], [bob.id]), NOT_PERMITTED)
  assert.deepEqual([await isIn(world, bob, 'pub'), await isIn(world, bob, 'def1')], [true, true])

  assert.deepEqual((await remove(carol, ['pub'], [bob.id])).body.removed, ['pub'])
})

test('channel administrators can remove users without being subscribed; a guest in that group cannot', async () => {
  const world = await server.world()
  const { owner, alice, carol, guest, channels } = world
  const group = { new: { direct_members: [carol.id, guest.id], direct_subgroups: [] } }
  for (const channel of ['shared', 'pub'] as const)
    await owner.succeed(`PATCH /streams/${channels[channel]}`, { can_administer_channel_group: group })

  assert.deepEqual((await remove(carol, ['shared', 'pub'], [alice.id])).body.removed.sort(), ['pub', 'shared'])

  await join(alice, 'pub', [guest])
  refused(await remove(guest, ['pub'], [world.bob.id]), NOT_PERMITTED)
})

test('a user who may remove others from a private channel that they cannot see cannot do so', async () => {
  const { owner, alice, carol, channels } = await server.world()
  const group = { new: { direct_members: [carol.id], direct_subgroups: [] } }
  await owner.succeed(`PATCH /streams/${channels.shared}`, { can_remove_subscribers_group: group })

  const answer = await remove(carol, ['shared'], [alice.id])

  assert.deepEqual([answer.status, answer.body.result], [400, 'error'])
})

test('148: permission for the existing channels is checked before unknown names', async () => {
  const world = await server.world()

  refused(await remove(world.alice, ['pub', 'nope'], [world.bob.id]), NOT_PERMITTED)
  refused(await remove(world.admin, ['pub', 'nope'], [world.bob.id]), "Channel 'nope' does not exist", {
    code: 'STREAM_DOES_NOT_EXIST',
    stream: 'nope',
  })
  assert.ok(await isIn(world, world.bob, 'pub'))
})

test('a user who is removed by someone else gets one direct message; one who leaves does not', async () => {
  const { admin, alice, bob } = await server.world()
  const events = async (person: Person) => {
    const page = { anchor: 'newest', num_before: 10, num_after: 0, narrow: [{ operator: 'is', operand: 'dm' }] }
    return (await person.succeed('GET /messages', page)).messages.map(({ content }: { content: string }) => content)
  }

  await remove(admin, ['pub', 'web', 'def1'], [alice.id])
  await bob.succeed(LEAVE, { subscriptions: ['pub'] })

  const [message, ...others] = await events(alice)
  assert.deepEqual(others, [])
  for (const name of ['pub', 'web', 'def1']) assert.match(message, new RegExp(name))
  assert.deepEqual(await events(bob), [])
})
