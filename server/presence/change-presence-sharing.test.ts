import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser, saveUserSettings } from '#people/user-queries.ts'
import { type Body, type Chat, type Person, START, startChat } from '../../test/harness.ts'
import type { PresenceBoard } from './board.ts'
import { applySharingChange, reportPresence } from './change-presence.ts'

const REPORT = 'POST /users/me/presence'

async function share({ app, realm }: Chat, { id }: Person, isSharing: boolean): Promise<void> {
  const { presence, transaction } = app.services
  const board = await presence.forRealm(realm.id)
  await transaction(async (tx) => {
    await saveUserSettings(tx, id, { presence_enabled: isSharing })
    const user = await findUser(tx.db, id)
    assert(user !== null)
    await applySharingChange(tx, { presence, board }, { ...user, realm }, isSharing)
  })
}

const idsIn = ({ presences }: Body) => Object.keys(presences).map(Number)

/**
 * Returns the status and the timestamp, in seconds since the start, of each presence of the user that `by` has
 * received.
 */
async function emittedPresence(chat: Chat, by: Person, { id }: Person): Promise<[string, number][]> {
  const events = (await chat.eventsOf(by)) as unknown as {
    user_id: number
    presence: { website: { status: string; timestamp: number } }
  }[]
  return events
    .filter((event) => event.user_id === id)
    .map(({ presence: { website } }) => [website.status, website.timestamp - START])
}

test('a user who stops sharing disappears for others at once, and is emitted as offline', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.advance(10)

  await share(chat, ben, false)

  for (const lastUpdateId of [-1, 1, undefined]) {
    const response = await ada.succeed(REPORT, { status: 'idle', last_update_id: lastUpdateId, slim_presence: true })
    assert.deepEqual(idsIn(response), [ada.id])
  }
  assert.equal((await ada.call(`GET /users/${ben.id}/presence`)).msg, `No presence data for ${ben.id}`)
  assert.deepEqual(Object.keys((await ada.succeed('GET /realm/presence')).presences), [ada.email])
  assert.deepEqual(await emittedPresence(chat, ada, ben), [
    ['active', 0],
    ['active', 10 - 265],
  ])
})

test('a user who does not share still sees their own presence, with the times that were emitted', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  await ada.succeed(REPORT, { status: 'active' })
  await share(chat, ben, false)
  await chat.clock.advance(60)

  const response = await ben.succeed(REPORT, { status: 'active', last_update_id: -1 })
  const incremental = await ben.succeed(REPORT, { status: 'active', last_update_id: 2 })
  const nothing = await ben.succeed(REPORT, { status: 'active', last_update_id: 3 })

  assert.deepEqual(idsIn(response), [ada.id, ben.id])
  assert.deepEqual(response.presences[ben.id], { active_timestamp: START - 265, idle_timestamp: START - 265 })
  assert.deepEqual([idsIn(incremental), incremental.presence_last_update_id], [[ben.id], 3])
  assert.deepEqual([idsIn(nothing), nothing.presence_last_update_id], [[], 3])
  assert.deepEqual((await ben.succeed(`GET /users/${ben.id}/presence`)).presence.aggregated.status, 'offline')
})

test('reports of a user who does not share have no effect and raise no event', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { settings: { presence_enabled: false } })]

  const response = await ben.succeed(REPORT, { status: 'active', last_update_id: -1 })

  assert.deepEqual([idsIn(response), response.presence_last_update_id], [[], -1])
  assert.deepEqual(await chat.eventsOf(ada), [])
})

test('a user who was offline or never seen stops sharing without an event', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.advance(266)

  await share(chat, ben, false)
  await share(chat, cleo, false)

  assert.equal((await chat.eventsOf(ada)).length, 1)
  assert.deepEqual((await ben.succeed(REPORT, { status: 'idle', last_update_id: -1 })).presences, {
    [ben.id]: { active_timestamp: START, idle_timestamp: START },
  })
})

test('a user who starts sharing is active at that moment, and this is emitted', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const cleo = await chat.user('cleo', { settings: { presence_enabled: false } })
  await ben.succeed(REPORT, { status: 'active' })
  await share(chat, ben, false)
  await chat.clock.advance(20)

  await share(chat, ben, true)
  await share(chat, cleo, true)

  const response = await ada.succeed(REPORT, { status: 'idle', last_update_id: 2 })
  const now = { active_timestamp: START + 20, idle_timestamp: START + 20 }
  assert.deepEqual([response.presences[ben.id], response.presences[cleo.id]], [now, now])
  assert.equal(response.presence_last_update_id, 5)
  assert.deepEqual((await emittedPresence(chat, ada, ben)).at(-1), ['active', 20])
  assert.deepEqual(await emittedPresence(chat, ada, cleo), [['active', 20]])
})

test('a user who starts sharing right after a report is emitted again, with the same times', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.advance(10)

  await share(chat, ben, true)

  assert.deepEqual(await emittedPresence(chat, ben, ben), [
    ['active', 0],
    ['active', 0],
  ])
  assert.equal((await ben.succeed(REPORT, { status: 'active', last_update_id: -1 })).presence_last_update_id, 1)
})

test('the event is sent to more than a hundred users as well', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  for (let more = 0; more < 101; more++) await chat.user(`u${more}`)
  await ben.succeed(REPORT, { status: 'active' })

  await share(chat, ben, false)
  await share(chat, ben, true)

  assert.equal((await chat.eventsOf(ben)).length, 2)
})

test('where presence is disabled, no event is sent', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })
  await chat.change({ presence_disabled: true })
  const realm = { ...chat.realm, settings: { ...chat.realm.settings, presence_disabled: true } }

  await share({ ...chat, realm }, ben, false)

  assert.equal((await chat.eventsOf(ben)).length, 1)
})

test('a failed change leaves the board unchanged', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  const { presence, transaction, db } = chat.app.services
  const board = await presence.forRealm(chat.realm.id)
  const user = await findUser(db, ben.id)
  assert(user !== null)

  const failing = transaction(async (tx) => {
    await applySharingChange(tx, { presence, board }, { ...user, realm: chat.realm }, false)
    throw new Error('no')
  })

  await assert.rejects(failing, /no/)
  const response = await ada.succeed(REPORT, { status: 'idle', last_update_id: -1 })
  assert.deepEqual(response.presences[ben.id], { active_timestamp: START, idle_timestamp: START })
})

test('a report between the change and its commit makes the change the newer one', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'active' })
  const { presence, transaction, db } = chat.app.services
  const board = await presence.forRealm(chat.realm.id)
  const user = await findUser(db, ben.id)
  assert(user !== null)

  await transaction(async (tx) => {
    await applySharingChange(tx, { presence, board }, { ...user, realm: chat.realm }, false)
    presence.record(
      board,
      { ...board.find(ben.id)!.person, id: ada.id },
      { lastActiveAt: null, lastConnectedAt: START },
    )
  })
  await chat.clock.advance(1)

  assert.deepEqual(
    [board.find(ada.id)?.updateId, board.find(ben.id)?.updateId, board.find(ben.id)?.lastConnectedAt],
    [3, 4, START - 265],
  )
  const row = await db.selectFrom('presences').selectAll().where('userId', '=', ben.id).executeTakeFirst()
  assert.deepEqual([row?.updateId, row?.lastConnectedAt], [4, START - 265])
})

test('a report that waits to be emitted when its user stops sharing is never emitted', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { services } = chat.app
  const user = await findUser(services.db, ben.id)
  assert(user !== null)
  const confirm: PresenceBoard['confirm'] = async (...report) => {
    await share(chat, ben, false)
    return services.presence.confirm(...report)
  }

  await reportPresence(
    { ...services, presence: { ...services.presence, confirm } },
    { ...user, realm: chat.realm },
    'active',
    START,
  )

  assert.deepEqual(await emittedPresence(chat, ben, ben), [['active', -265]])
  assert.deepEqual((await ben.succeed(REPORT, { status: 'idle', last_update_id: -1 })).presences, {
    [ben.id]: { active_timestamp: START - 265, idle_timestamp: START - 265 },
  })
})

test('a report of a user who stopped sharing after they were read changes nothing and raises no event', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { services } = chat.app
  const user = await findUser(services.db, ben.id)
  assert(user !== null)
  await ben.succeed(REPORT, { status: 'active' })
  await share(chat, ben, false)

  await reportPresence(services, { ...user, realm: chat.realm }, 'active', START)

  assert.deepEqual(await emittedPresence(chat, ben, ben), [
    ['active', 0],
    ['active', -265],
  ])
  const response = await ben.succeed(REPORT, { status: 'idle', last_update_id: -1 })
  assert.deepEqual([response.presences[ben.id].active_timestamp, response.presence_last_update_id], [START - 265, 2])
})

test('users can fetch their own presence as others see it', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const seen = async () => (await ben.succeed('GET /users/me/presence/as_seen')).presence
  assert.equal(await seen(), null)

  await ben.succeed(REPORT, { status: 'active' })
  const { presence } = await ada.succeed(`GET /users/${ben.id}/presence`)
  assert.deepEqual(await seen(), presence)

  await share(chat, ben, false)
  assert.equal((await ada.call(`GET /users/${ben.id}/presence`)).code, 'BAD_REQUEST')
  assert.equal(await seen(), null)
})

test('where no one shares their presence, users see that theirs is not shown', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })

  await chat.change({ presence_disabled: true })

  assert.equal((await ben.succeed('GET /users/me/presence/as_seen')).presence, null)
})
