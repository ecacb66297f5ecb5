import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing, refused } from './answers.ts'
import { join, leave, mayRead, sendToChannel } from './messages.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()

const LEAVE = 'DELETE /users/me/subscriptions'

function absent(answer: Parameters<typeof refused>[0], stream: string): void {
  refused(answer, `Channel '${stream}' does not exist`, { code: 'STREAM_DOES_NOT_EXIST', stream })
}

/** Returns the names of the channels that a user is subscribed to. */
async function channelsOf(person: Person): Promise<string[]> {
  const { subscriptions } = await person.succeed('GET /users/me/subscriptions')
  return subscriptions.map(({ name }: { name: string }) => name).sort()
}

test('133: a user leaves a channel, and leaving it again succeeds as well', async () => {
  const { alice } = await server.world()

  const first = await alice.succeed(LEAVE, { subscriptions: ['pub'] })
  const again = await alice.succeed(LEAVE, { subscriptions: ['pub'] })

  assert.deepEqual(first, { result: 'success', msg: '', removed: ['pub'], not_removed: [] })
  assert.deepEqual(again, { result: 'success', msg: '', removed: [], not_removed: ['pub'] })
  assert.equal((await channelsOf(alice)).includes('pub'), false)
})

test('133: parameters can also be in the query, and the body overrides them', async () => {
  const { alice } = await server.world()
  const inQuery = await alice.call(LEAVE, {}, { query: { subscriptions: ['pub'] } })
  const inBoth = await alice.call(LEAVE, { subscriptions: ['def1'] }, { query: { subscriptions: ['nope'] } })
  const twice = await alice.call(LEAVE, 'subscriptions=["nope"]&subscriptions=["web"]')

  assert.deepEqual([inQuery.body.removed, inBoth.body.removed, twice.body.removed], [['pub'], ['def1'], ['web']])
})

test('134: without subscriptions, the request is refused', async () => {
  const { alice, guest } = await server.world()

  missing(await alice.call(LEAVE), 'subscriptions')
  missing(await guest.call(LEAVE, { principals: [alice.id] }), 'subscriptions')
})

test('134: subscriptions are a list of strings', async () => {
  const { alice } = await server.world()
  const leave = (subscriptions: unknown) => alice.call(LEAVE, { subscriptions })

  refused(await leave('pub'), 'subscriptions is not valid JSON')
  refused(await leave('"pub"'), 'subscriptions is not a list')
  refused(await leave({ 0: 'pub' }), 'subscriptions is not a list')
  refused(await leave('null'), 'subscriptions is not a list')
  refused(await leave(['pub', 1]), 'subscriptions[1] is not a string')
  refused(await leave([{ name: 'pub' }]), 'subscriptions[0] is not a string')
  assert.ok((await channelsOf(alice)).includes('pub'))
})

test('135: an empty list succeeds', async () => {
  const { alice, bob } = await server.world()
  const nothing = { result: 'success', msg: '', removed: [], not_removed: [] }

  assert.deepEqual(await alice.succeed(LEAVE, { subscriptions: [] }), nothing)
  assert.deepEqual(await alice.succeed(LEAVE, { subscriptions: [], principals: [bob.id] }), nothing)
})

for (const name of ['Hüembüg', 'канал', '日本語', '🙂🙂', 'a,b "c" & d=e+f%', '#hash', 'pub 2']) {
  test(`136: the channel ${name} is left by its name`, async () => {
    const world = await server.world()
    await world.createChannel(world.alice, name)

    const { removed } = await world.alice.succeed(LEAVE, { subscriptions: [name] })

    assert.deepEqual(removed, [name])
  })
}

test('names are trimmed, compared in any case, and returned as stored', async () => {
  const world = await server.world()
  await world.createChannel(world.alice, 'Große Pläne')

  const { removed } = await world.alice.succeed(LEAVE, {
    subscriptions: [' PUB\t', 'pub', 'gROSSE pLÄNE'.replace('SS', 'ß')],
  })

  assert.deepEqual(removed.sort(), ['Große Pläne', 'pub'])
})

test('invalid names are refused before principals are checked against channels', async () => {
  const { alice } = await server.world()
  const leave = (...subscriptions: string[]) => alice.call(LEAVE, { subscriptions })

  refused(await leave(''), "Channel name can't be empty.")
  refused(await leave('pub', '  '), "Channel name can't be empty.")
  refused(await leave('🙂'.repeat(61)), 'Channel name too long (limit: 60 characters).')
  absent(await leave('🙂'.repeat(60)), '🙂'.repeat(60))
  refused(await leave('pu\u0000b'), 'Invalid character in channel name, at position 3.')
  refused(await leave('🙂\u0007'), 'Invalid character in channel name, at position 2.')
  assert.ok((await channelsOf(alice)).includes('pub'))
})

test('137: the first unknown channel is named, spelled as it was sent', async () => {
  const { alice, guest, owner, alicebot } = await server.world()

  for (const person of [alice, guest, owner, alicebot])
    absent(await person.call(LEAVE, { subscriptions: [' Nope ', 'nada'] }), 'Nope')
})

test('138: with an unknown channel, no channel is left', async () => {
  const { alice } = await server.world()
  const before = await channelsOf(alice)

  absent(await alice.call(LEAVE, { subscriptions: ['pub', 'nope'] }), 'nope')

  assert.deepEqual(await channelsOf(alice), before)
})

test('139: a private channel that the user cannot see is answered like a missing one', async () => {
  const { bob, guest, alicebot } = await server.world()

  for (const person of [bob, guest, alicebot]) {
    const [hidden, none] = [
      await person.call(LEAVE, { subscriptions: ['shared'] }),
      await person.call(LEAVE, { subscriptions: ['sharee'] }),
    ]
    absent(hidden, 'shared')
    assert.equal(hidden.text.replaceAll('shared', 'sharee'), none.text)
  }
})

test('139: a public channel is answered like a missing one to a guest who is not in it', async () => {
  const { guest, carol } = await server.world()

  absent(await guest.call(LEAVE, { subscriptions: ['pub'] }), 'pub')
  assert.deepEqual((await carol.succeed(LEAVE, { subscriptions: ['pub'] })).not_removed, ['pub'])
})

test('139: a former subscriber of a private channel finds it when they leave again', async () => {
  const { alice, bob } = await server.world()
  await join(alice, 'shared', [bob])

  assert.deepEqual((await bob.succeed(LEAVE, { subscriptions: ['shared'] })).removed, ['shared'])
  assert.deepEqual((await bob.succeed(LEAVE, { subscriptions: ['shared'] })).not_removed, ['shared'])
})

test('140: a guest leaves a public and a private channel', async () => {
  const { owner, alice, guest } = await server.world()
  await join(owner, 'pub', [guest])
  await join(alice, 'shared', [guest])

  const { removed } = await guest.succeed(LEAVE, { subscriptions: ['pub', 'shared'] })

  assert.deepEqual(removed.sort(), ['pub', 'shared'])
})

test('an archived channel can be left', async () => {
  const { alice } = await server.world()

  assert.deepEqual((await alice.succeed(LEAVE, { subscriptions: ['archived'] })).removed, ['archived'])
})

test('a private channel remains when its last subscriber leaves', async () => {
  const { alice, owner, channels } = await server.world()

  await leave(alice, 'shared')

  const { streams } = await owner.succeed('GET /streams', { include_all: true, include_public: false })
  assert.ok(streams.some(({ stream_id }: { stream_id: number }) => stream_id === channels.shared))
})

test('149: color, pin, mute and notification settings are restored when a user rejoins', async () => {
  const { alice, channels } = await server.world()
  const kept = {
    color: '#112233',
    pin_to_top: true,
    is_muted: true,
    push_notifications: false,
    email_notifications: true,
  }
  const settings = Object.entries(kept).map(([property, value]) => ({ stream_id: channels.pub, property, value }))
  await alice.succeed('POST /users/me/subscriptions/properties', { subscription_data: settings })

  await leave(alice, 'pub')
  await join(alice, 'pub')

  const { subscriptions } = await alice.succeed('GET /users/me/subscriptions')
  const pub = subscriptions.find(({ name }: { name: string }) => name === 'pub')
  assert.deepEqual(Object.fromEntries(Object.keys(kept).map((name) => [name, pub[name]])), kept)
})

test('150: messages can no longer be read after leaving a private channel, and still can after leaving a public one', async () => {
  const { alice } = await server.world()
  const [inPrivate, inPublic] = [await sendToChannel(alice, 'shared'), await sendToChannel(alice, 'pub')]

  await alice.succeed(LEAVE, { subscriptions: ['shared', 'pub'] })

  assert.deepEqual([await mayRead(alice, inPrivate), await mayRead(alice, inPublic)], [false, true])
})

test('unread messages of a channel become read when a user leaves it', async () => {
  const { alice, bob } = await server.world()
  const id = await sendToChannel(alice, 'pub')
  const flags = async () => (await bob.succeed(`GET /messages/${id}`)).message.flags
  assert.deepEqual(await flags(), [])

  await leave(bob, 'pub')

  assert.deepEqual(await flags(), ['read'])
})

test('154: of two concurrent requests both succeed, and one removes the subscription', async () => {
  const { alice } = await server.world()

  const answers = await Promise.all([1, 2, 3, 4].map(() => alice.succeed(LEAVE, { subscriptions: ['pub'] })))

  assert.equal(answers.filter(({ removed }) => removed.length > 0).length, 1)
  assert.equal((await channelsOf(alice)).includes('pub'), false)
})
