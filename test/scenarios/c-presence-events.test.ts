import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listen } from './events.ts'
import { startServer } from './server.ts'
import type { Person } from './world.ts'

const server = await startServer()
await server.freeze()

const report = (person: Person, status: 'active' | 'idle') => person.succeed('POST /users/me/presence', { status })

/** Summarizes the events: `bob active`. */
const inShort = (events: readonly { email: string; presence: { website: { status: string } } }[]) =>
  events.map(({ email, presence }) => `${email.split('@')[0]} ${presence.website.status}`)

test('53: activity raises no event within 130 seconds of the last one, and raises one afterwards', async () => {
  const { alice, bob } = await server.world()
  const received = await listen(alice, ['presence'])

  await report(bob, 'active')
  assert.deepEqual(inShort(await received()), ['bob active'])
  await server.advance(100)
  await report(bob, 'active')
  assert.deepEqual(await received(), [])
  await server.advance(140)
  await report(bob, 'active')
  assert.deepEqual(inShort(await received()), ['bob active'])
})

test('54: idle first and then active are two events', async () => {
  const { alice, bob } = await server.world()
  const received = await listen(alice, ['presence'])

  await report(bob, 'idle')
  await server.advance(5)
  await report(bob, 'active')
  await server.advance(60)
  await report(bob, 'active')

  assert.deepEqual(inShort(await received()), ['bob idle', 'bob active'])
})

test('55: users receive their own event like everyone else, including guests and bots', async () => {
  const { alice, bob, guest, alicebot, owner } = await server.world()
  const listening = await Promise.all([alice, bob, guest, alicebot, owner].map((each) => listen(each, ['presence'])))

  await report(bob, 'active')

  for (const received of listening) assert.deepEqual(inShort(await received()), ['bob active'])
})

test('a presence event has the legacy format, without the address for clients that request slim events', async () => {
  const { alice, bob } = await server.world()
  const legacy = await listen(alice, ['presence'])
  const slim = await listen(alice, ['presence'], { slim_presence: true })

  const { server_timestamp } = await report(bob, 'active')

  const event = {
    type: 'presence',
    user_id: bob.id,
    server_timestamp,
    presence: {
      website: { client: 'website', status: 'active', timestamp: Math.floor(server_timestamp), pushable: false },
    },
  }
  assert.deepEqual(await legacy(), [{ ...event, email: bob.email }])
  assert.deepEqual(await slim(), [event])
})

test('other organizations receive nothing, and refused reports raise no event', async () => {
  const [{ alice, bob }, other] = [await server.world(), await server.world()]
  const [received, elsewhere] = [await listen(alice, ['presence']), await listen(other.alice, ['presence'])]

  await bob.call('POST /users/me/presence', { status: 'busy' })
  assert.deepEqual(await received(), [])
  await report(bob, 'active')
  assert.deepEqual(await elsewhere(), [])
})

test('a user who does not share their presence raises no event', async () => {
  const { alice, bob } = await server.world()
  await bob.succeed('PATCH /settings', { presence_enabled: false })
  const received = await listen(alice, ['presence'])

  await report(bob, 'active')

  assert.deepEqual(await received(), [])
})

test('56: in an organization of a hundred everyone receives the events, with one more user no one does', async () => {
  const world = await server.world()
  const { owner, alice, bob } = world
  const { members } = await owner.succeed('GET /users')
  const active = members.filter(({ is_active }: { is_active: boolean }) => is_active).length
  const enrol = (number: number) =>
    owner.succeed('POST /users', {
      email: `extra${number}@x.example.com`,
      full_name: `Extra ${number}`,
      password: 'correct horse battery',
    })
  for (let number = active; number < 100; number += 1) await enrol(number)
  const received = await listen(alice, ['presence'])

  await report(bob, 'active')
  assert.deepEqual(inShort(await received()), ['bob active'])

  await enrol(100)
  await report(alice, 'active')
  assert.deepEqual(await received(), [])
})
