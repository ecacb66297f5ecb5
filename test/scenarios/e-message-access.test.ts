import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from './answers.ts'
import { join, leave, mayRead, readMessage, sendDirect, sendToChannel } from './messages.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()

const DAYS = 5 * 86_400

async function readers(id: number, people: Record<string, Person>): Promise<string[]> {
  const names = []
  for (const [name, person] of Object.entries(people)) if (await mayRead(person, id)) names.push(name)
  return names
}

test('57: a direct message can be read by its two users only, whatever permissions others have', async () => {
  const { owner, admin, moderator, alice, bob, carol, guest, alicebot } = await server.world()
  const people = { owner, admin, moderator, alice, bob, carol, guest, alicebot }

  assert.deepEqual(await readers(await sendDirect(alice, [bob]), people), ['alice', 'bob'])
  assert.deepEqual(await readers(await sendDirect(alice, [bob, guest]), people), ['alice', 'bob', 'guest'])
  assert.deepEqual(await readers(await sendDirect(alice, [alice]), people), ['alice'])
})

test('58, 59: an unreadable message is answered, byte for byte, like a missing one', async () => {
  const { alice, bob, carol } = await server.world()
  const id = await sendDirect(alice, [bob])

  const [forbidden, absent] = [await carol.call(`GET /messages/${id}`), await carol.call(`GET /messages/${id + 1000}`)]

  refused(absent, 'Invalid message(s)')
  assert.equal(forbidden.text, absent.text)
  assert.equal(forbidden.status, absent.status)
  const headersOf = ({ headers }: typeof absent) => Object.keys(headers).sort()
  assert.deepEqual(headersOf(forbidden), headersOf(absent))
})

test('a deleted message is gone, even for its sender', async () => {
  const { admin, alice, bob } = await server.world()
  const id = await sendToChannel(alice, 'pub')

  await admin.succeed(`DELETE /messages/${id}`)

  for (const person of [admin, alice, bob]) assert.equal(await mayRead(person, id), false)
})

test('60: a new user can read earlier public messages', async () => {
  const world = await server.world()
  const id = await sendToChannel(world.alice, 'pub')
  await server.advance(DAYS)

  assert.ok(await mayRead(await world.createUser('dave'), id))
})

test('public channels can be read by everyone but guests, subscribed or not, including bots', async () => {
  const { owner, alice, carol, guest, alicebot } = await server.world()

  for (const channel of ['pub', 'web', 'def1'])
    assert.deepEqual(await readers(await sendToChannel(alice, channel), { owner, alice, carol, guest, alicebot }), [
      'owner',
      'alice',
      'carol',
      'alicebot',
    ])
})

test('61: a guest can read the channels that they are in from the beginning, and loses them when they leave', async () => {
  const { owner, alice, guest } = await server.world()
  for (const channel of ['pub', 'web']) {
    const id = await sendToChannel(alice, channel)
    assert.equal(await mayRead(guest, id), false)

    await join(owner, channel, [guest])
    assert.equal(await mayRead(guest, id), true)

    await leave(guest, channel)
    assert.equal(await mayRead(guest, id), false)
  }
})

test('a guest cannot read a message just because they received it', async () => {
  const { owner, alice, guest } = await server.world()
  await join(owner, 'pub', [guest])
  const id = await sendToChannel(alice, 'pub')

  await leave(guest, 'pub')

  assert.equal(await mayRead(guest, id), false)
})

test('a user who becomes a member reads like a member, and one who becomes a guest like a guest', async () => {
  const world = await server.world()
  const id = await sendToChannel(world.alice, 'pub')

  await world.changeUser(world.guest, { role: 400 })
  await world.changeUser(world.carol, { role: 600 })

  assert.deepEqual([await mayRead(world.guest, id), await mayRead(world.carol, id)], [true, false])
})

test('62: a user who joins a private channel with shared history can read earlier messages', async () => {
  const { owner, admin, alice, bob, carol, alicebot } = await server.world()
  const id = await sendToChannel(alice, 'shared')
  assert.deepEqual(await readers(id, { owner, admin, alice, bob, carol, alicebot }), ['alice'])

  await join(alice, 'shared', [bob])

  assert.ok(await mayRead(bob, id))
})

test('a user who left a private channel can read none of it, not even messages that they received or sent', async () => {
  const { alice, bob } = await server.world()
  await join(alice, 'shared', [bob])
  const [received, said] = [await sendToChannel(alice, 'shared'), await sendToChannel(bob, 'shared')]

  await leave(bob, 'shared')

  assert.deepEqual([await mayRead(bob, received), await mayRead(bob, said)], [false, false])
})

test('63: with protected history, users can read the messages from their time in the channel', async () => {
  const { alice, bob } = await server.world()
  const before = await sendToChannel(alice, 'protected')
  await join(alice, 'protected', [bob])
  const during = await sendToChannel(alice, 'protected')

  assert.deepEqual([await mayRead(bob, before), await mayRead(bob, during)], [false, true])
})

test('63: a user who leaves a channel with protected history and returns can read what they received, not what they missed', async () => {
  const { alice, bob } = await server.world()
  await join(alice, 'protected', [bob])
  const had = await sendToChannel(alice, 'protected')
  await leave(bob, 'protected')
  const missed = await sendToChannel(alice, 'protected')
  assert.deepEqual([await mayRead(bob, had), await mayRead(bob, missed)], [false, false])

  await join(alice, 'protected', [bob])

  assert.deepEqual([await mayRead(bob, had), await mayRead(bob, missed)], [true, false])
})

test('63: a guest who joins a channel with protected history can read from then on', async () => {
  const { alice, guest } = await server.world()
  const before = await sendToChannel(alice, 'protected')
  await join(alice, 'protected', [guest])

  assert.deepEqual(
    [await mayRead(guest, before), await mayRead(guest, await sendToChannel(alice, 'protected'))],
    [false, true],
  )
})

test('64: permission to administer a private channel does not let users read it', async () => {
  const { alice, carol, owner, channels } = await server.world()
  const id = await sendToChannel(alice, 'shared')

  const group = { new: { direct_members: [carol.id], direct_subgroups: [] } }
  await owner.succeed(`PATCH /streams/${channels.shared}`, { can_administer_channel_group: group })

  assert.equal(await mayRead(carol, id), false)
})

for (const setting of ['can_add_subscribers_group', 'can_subscribe_group']) {
  test(`65: a member in ${setting} of a private channel can read it, a guest cannot`, async () => {
    const world = await server.world()
    const { alice, carol, guest } = world
    const group = { direct_members: [carol.id, guest.id], direct_subgroups: [] }
    const channel = await world.createChannel(alice, 'secret', {
      invite_only: true,
      history_public_to_subscribers: true,
    })
    const id = await sendToChannel(alice, 'secret')
    assert.equal(await mayRead(carol, id), false)

    await alice.succeed(`PATCH /streams/${channel}`, { [setting]: { new: group } })

    assert.deepEqual([await mayRead(carol, id), await mayRead(guest, id)], [true, false])
  })

  test(`members of nested groups in ${setting} can read it too, until they are removed`, async () => {
    const world = await server.world()
    const inner = await world.createGroup('inner', [world.carol])
    const outer = await world.createGroup('outer', [], { subgroups: [inner] })
    const making = { invite_only: true, history_public_to_subscribers: true, [setting]: outer }
    await world.createChannel(world.alice, 'secret', making)
    const id = await sendToChannel(world.alice, 'secret')
    assert.ok(await mayRead(world.carol, id))

    await world.owner.succeed(`POST /user_groups/${inner}/members`, { delete: [world.carol.id] })

    assert.equal(await mayRead(world.carol, id), false)
  })

  test(`with protected history, ${setting} lets users read what they received`, async () => {
    const world = await server.world()
    const group = { direct_members: [world.carol.id], direct_subgroups: [] }
    const making = { invite_only: true, history_public_to_subscribers: false, [setting]: group }
    await world.createChannel(world.alice, 'secret', making)
    const before = await sendToChannel(world.alice, 'secret')
    await join(world.alice, 'secret', [world.carol])
    const during = await sendToChannel(world.alice, 'secret')
    await leave(world.carol, 'secret')

    assert.deepEqual([await mayRead(world.carol, before), await mayRead(world.carol, during)], [false, true])
  })
}

test('archived channels can be read as before', async () => {
  const { owner, alice, bob, carol, guest, channels } = await server.world()
  const [open, closed] = [await sendToChannel(alice, 'pub'), await sendToChannel(alice, 'shared')]

  await owner.succeed(`DELETE /streams/${channels.pub}`)
  await owner.succeed(`DELETE /streams/${channels.shared}`)

  assert.deepEqual(await readers(open, { alice, bob, carol, guest }), ['alice', 'bob', 'carol'])
  assert.deepEqual(await readers(closed, { owner, alice, bob }), ['alice'])
})

test('66: messages of another organization do not exist', async () => {
  const [main, other] = [await server.world(), await server.world()]
  const id = await sendToChannel(other.alice, 'pub')

  for (const person of [main.owner, main.alice]) assert.equal(await mayRead(person, id), false)
})

test("67: a message remains after its sender's account is deactivated", async () => {
  const { owner, alice, bob } = await server.world()
  const id = await sendToChannel(bob, 'pub')
  const before = await readMessage(alice, id)

  await owner.succeed(`DELETE /users/${bob.id}`)

  assert.deepEqual(await readMessage(alice, id), before)
})

test('a moved message can be read by users who can read its new topic', async () => {
  const { admin, alice, carol, bob, channels } = await server.world()
  await join(alice, 'shared', [admin])
  const id = await sendToChannel(alice, 'pub')
  assert.ok(await mayRead(carol, id))

  await admin.succeed(`PATCH /messages/${id}`, { stream_id: channels.shared })
  assert.deepEqual(await readers(id, { admin, alice, bob, carol }), ['admin', 'alice'])

  await admin.succeed(`PATCH /messages/${id}`, { stream_id: channels.pub })
  assert.deepEqual(await readers(id, { admin, alice, bob, carol }), ['admin', 'alice', 'bob', 'carol'])
})

test('a channel that becomes private is closed, and can be opened again', async () => {
  const { owner, alice, carol, channels } = await server.world()
  const id = await sendToChannel(alice, 'pub')

  await owner.succeed(`PATCH /streams/${channels.pub}`, { is_private: true })
  assert.deepEqual(await readers(id, { alice, carol, owner }), ['alice'])

  await join(alice, 'pub', [owner])
  await owner.succeed(`PATCH /streams/${channels.pub}`, { is_private: false })
  assert.deepEqual(await readers(id, { alice, carol }), ['alice', 'carol'])
})
