import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Actor } from '#people/users.ts'
import { onPostgres } from '../../test/database.ts'
import { START, startChat } from '../../test/harness.ts'
import {
  closePresenceServer,
  createUsers,
  NOW,
  openPresenceServer,
  type PresenceServer,
  report,
} from '../../test/presence-server.ts'
import { sharedDatabaseUrl } from '../../test/storage.ts'

const REPORT = 'POST /users/me/presence'
const YEAR = 365 * 86_400
/** The corrected time: a year before the clock's first time. */
const CORRECTED = START - YEAR

const timesOf = async ({ presence }: PresenceServer, { realmId, id }: Actor) => {
  const entry = (await presence.forRealm(realmId)).find(id)
  return [entry?.lastActiveAt, entry?.lastConnectedAt]
}

const storedTimes = async ({ storage }: PresenceServer) => {
  const rows = await storage.db.selectFrom('presences').select(['lastActiveAt', 'lastConnectedAt']).execute()
  return rows.map(({ lastActiveAt, lastConnectedAt }) => [lastActiveAt, lastConnectedAt])
}

test('a presence reported while the clock was a year ahead counts as current, and then ages', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  const before = await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })
  await chat.clock.set(CORRECTED)

  const fetched = await ada.succeed(REPORT, {
    status: 'idle',
    last_update_id: before['presence_last_update_id'],
  })
  await chat.clock.advance(201)
  const later = await ada.succeed(`GET /users/${ben.id}/presence`)

  assert.deepEqual(fetched['presences'][ben.id], { active_timestamp: CORRECTED, idle_timestamp: CORRECTED })
  assert.deepEqual(later['presence'].aggregated, { status: 'offline', timestamp: CORRECTED })
})

test('when a clock that was ahead is corrected, only the presences that it put ahead change', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  await cleo.succeed(REPORT, { status: 'active' })
  await chat.clock.set(START + 3600)
  await ben.succeed(REPORT, { status: 'active' })
  const before = await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })

  await chat.clock.set(START + 60)
  const changed = await ada.succeed(REPORT, { status: 'idle', last_update_id: before['presence_last_update_id'] })
  const all = await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })

  assert.equal(changed['presences'][cleo.id], undefined)
  assert.deepEqual(all['presences'][cleo.id], { active_timestamp: START, idle_timestamp: START })
  assert.deepEqual(all['presences'][ben.id], { active_timestamp: START + 60, idle_timestamp: START + 60 })
})

test('reports have an effect as soon as a clock that was ahead is corrected', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.set(CORRECTED)
  await ben.succeed(REPORT, { status: 'active' })

  await chat.clock.advance(300)
  await ben.succeed(REPORT, { status: 'active' })
  const response = await ada.succeed(`GET /users/${ben.id}/presence`)

  assert.deepEqual(response['presence'].aggregated, { status: 'active', timestamp: CORRECTED + 300 })
  const events = (await chat.eventsOf(ada)).filter(({ type }) => type === 'presence')
  assert.equal(events.at(-1)?.['server_timestamp'], CORRECTED + 300)
})

test('a time a few seconds ahead is kept', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.set(START - 10)

  const response = await ben.succeed(REPORT, { status: 'idle', last_update_id: -1 })

  assert.deepEqual(response['presences'][ben.id], { active_timestamp: START, idle_timestamp: START })
})

test('a stored time that is ahead is replaced after a restart', async () => {
  const url = await sharedDatabaseUrl()
  const first = await openPresenceServer(url, { now: NOW + YEAR })
  const [ada, ben] = (await createUsers(first, 2)) as [Actor, Actor]
  await report(first, ada, 'idle')
  await report(first, ben, 'active')
  await closePresenceServer(first)

  const second = await openPresenceServer(url)
  const seen = [await timesOf(second, ada), await timesOf(second, ben)]
  await second.clock.advance(1)

  const expected = [
    [null, NOW],
    [NOW, NOW],
  ]
  assert.deepEqual(seen, expected)
  assert.deepEqual((await storedTimes(second)).sort(), expected.sort())
  await closePresenceServer(second)
})

test('nodes replace stored times that are ahead once for all of them', {
  skip: !onPostgres && 'several nodes need PostgreSQL',
}, async () => {
  const url = await sharedDatabaseUrl()
  const wrong = await openPresenceServer(url, { now: NOW + YEAR })
  const [ada, ben] = (await createUsers(wrong, 2)) as [Actor, Actor]
  await report(wrong, ada, 'active')
  await report(wrong, ben, 'idle')
  await closePresenceServer(wrong)
  const one = await openPresenceServer(url, { isShared: true })
  const other = await openPresenceServer(url, { isShared: true })
  after(async () => {
    for (const node of [one, other]) await closePresenceServer(node)
  })

  const seen = await Promise.all([timesOf(one, ada), timesOf(one, ben), timesOf(other, ada), timesOf(other, ben)])
  await one.clock.advance(100)
  await report(one, ada, 'active')
  await one.clock.advance(1)

  assert.deepEqual(seen, [
    [NOW, NOW],
    [null, NOW],
    [NOW, NOW],
    [null, NOW],
  ])
  assert.deepEqual(await timesOf(one, ada), [NOW + 100, NOW + 100])
  assert.deepEqual((await storedTimes(one)).length, 2)
})
