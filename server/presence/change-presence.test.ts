import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUser, saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Body, type Person, START, startChat } from '../../test/harness.ts'
import { reportPresence } from './change-presence.ts'

const REPORT = 'POST /users/me/presence'

/** Returns a user's active and idle timestamps in a response, in seconds after the start. */
const seen = ({ presences }: Body, { id }: Person) =>
  presences[id] && [presences[id].active_timestamp - START, presences[id].idle_timestamp - START]

test('the first report is in its own response', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  const response = await ben.call(REPORT, { status: 'active', last_update_id: -1 })

  assert.deepEqual(response, {
    status: 200,
    result: 'success',
    msg: '',
    presence_last_update_id: 1,
    server_timestamp: START,
    presences: { [ben.id]: { active_timestamp: START, idle_timestamp: START } },
  })
})

test('a user who was never active was last active when they joined', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben', { joinedAt: START - 1000.5 })

  const response = await ben.call(REPORT, { status: 'idle', last_update_id: -1 })

  assert.deepEqual(seen(response, ben), [-1001, 0])
})

test('a report changes nothing within 55 seconds of the last one, from any client', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })

  for (const seconds of [30, 25]) {
    await chat.clock.advance(seconds)
    const response = await ben.call(REPORT, { status: 'active', last_update_id: -1, client: 'another' })
    assert.deepEqual(seen(response, ben), [0, 0])
    assert.equal(response.presence_last_update_id, 1)
  }
  await chat.clock.advance(1)
  const response = await ben.call(REPORT, { status: 'active', last_update_id: -1 })

  assert.deepEqual(seen(response, ben), [56, 56])
  assert.equal(response.presence_last_update_id, 2)
})

test('activity right after an idle report counts, regardless of the spacing', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'idle' })
  await chat.clock.advance(5)

  const response = await ben.call(REPORT, { status: 'active', last_update_id: 1 })

  assert.deepEqual(seen(response, ben), [5, 5])
})

test('an idle report updates the connection and keeps the activity', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  await ben.succeed(REPORT, { status: 'active' })
  await chat.clock.advance(60)

  const response = await ben.call(REPORT, { status: 'idle', last_update_id: -1 })

  assert.deepEqual(seen(response, ben), [0, 60])
})

test('each report with an effect increments the update id of the organization', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const eve = await chat.user('eve', { realm: await chat.organization('other') })

  const ids = []
  for (const [person, status] of [
    [ada, 'idle'],
    [ben, 'idle'],
    [ada, 'active'],
    [ada, 'active'],
  ] as const) {
    ids.push((await person.call(REPORT, { status, last_update_id: -1 })).presence_last_update_id)
  }
  const elsewhere = await eve.call(REPORT, { status: 'idle', last_update_id: -1 })

  assert.deepEqual(ids, [1, 2, 3, 3])
  assert.equal(elsewhere.presence_last_update_id, 1)
  assert.deepEqual(Object.keys(elsewhere.presences), [String(eve.id)])
})

test('twenty concurrent first reports all get their own ids', async () => {
  const chat = await startChat()
  const people = await Promise.all(Array.from({ length: 20 }, (_, at) => chat.user(`p${at}`)))

  const responses = await Promise.all(people.map((one) => one.call(REPORT, { status: 'active', last_update_id: -1 })))
  const last = await people[0]!.call(REPORT, { status: 'active', last_update_id: -1 })

  assert(responses.every(({ status }) => status === 200))
  assert.equal(Object.keys(last.presences).length, 20)
  assert.equal(last.presence_last_update_id, 20)
  await chat.clock.advance(1)
  const rows = await chat.app.storage.db.selectFrom('presences').select('updateId').execute()
  assert.deepEqual(
    rows.map(({ updateId }) => updateId).sort((one, other) => one - other),
    Array.from({ length: 20 }, (_, at) => at + 1),
  )
})

test('of two concurrent first reports of one user both succeed, and one raises an event', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const responses = await Promise.all([1, 2, 3].map(() => ben.call(REPORT, { status: 'active', last_update_id: -1 })))

  assert.deepEqual(
    responses.map((response) => response.presence_last_update_id),
    [1, 1, 1],
  )
  assert.equal((await chat.eventsOf(ada)).length, 1)
})

test('2,500 concurrent first reports get 2,500 ids', async () => {
  const chat = await startChat()
  const { services } = chat.app
  const { presence, clock, db } = services
  const board = await presence.forRealm(chat.realm.id)
  const ben = await chat.user('ben')
  const user = (await findUser(db, ben.id))!
  await chat.change({ presence_disabled: true })
  const realm = { ...chat.realm, settings: { ...chat.realm.settings, presence_disabled: true } }

  await Promise.all(
    Array.from({ length: 2500 }, (_, at) =>
      reportPresence(services, { ...user, id: 10_000 + at, realm }, 'active', clock.now()),
    ),
  )

  assert.equal(board.lastId, 2500)
  assert.equal(new Set(board.order.chunks.flatMap((slice) => slice.entries.map((entry) => entry.updateId))).size, 2500)
})

test('a ping is answered with the id that it sent and nothing else', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const first = await ben.call(REPORT, { status: 'active', ping_only: true })
  const second = await ben.call(REPORT, { status: 'active', ping_only: true, last_update_id: 7, slim_presence: true })

  assert.deepEqual(first, { status: 200, result: 'success', msg: '', presence_last_update_id: -1 })
  assert.deepEqual(second, { status: 200, result: 'success', msg: '', presence_last_update_id: 7 })
  assert.deepEqual(seen(await ada.call(REPORT, { status: 'idle', last_update_id: 0 }), ben), [0, 0])
})

test('errors are reported in the order of the parameters, and nothing is written', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await ben.succeed(REPORT, { status: 'idle' })
  await chat.clock.advance(100)
  const invalid: [Record<string, unknown>, string][] = [
    [{}, "Missing 'status' argument"],
    [{ status: 'foo' }, 'Invalid status: foo'],
    [{ status: '' }, 'Invalid status: '],
    [{ status: 'Active' }, 'Invalid status: Active'],
    [{ status: ' active' }, 'Invalid status:  active'],
    [{ status: 'foo', ping_only: 'true', last_update_id: 'abc' }, 'last_update_id is not valid JSON'],
    [{ status: 'active', ping_only: '"true"', new_user_input: '1' }, 'ping_only is not a boolean'],
    [{ status: 'active', ping_only: 'True' }, 'ping_only is not valid JSON'],
    [{ status: 'active', new_user_input: 'null' }, 'new_user_input is not a boolean'],
    [{ status: 'active', slim_presence: '1' }, 'slim_presence is not a boolean'],
    [{ status: 'active', last_update_id: 'null' }, 'last_update_id is not an integer'],
    [{ status: 'active', last_update_id: '5.0' }, 'last_update_id is not an integer'],
    [{ status: 'active', history_limit_days: '"5"' }, 'history_limit_days is not an integer'],
    [{ status: 'active', last_update_id: '9223372036854775808' }, 'last_update_id is too large'],
    [{ status: 'active', history_limit_days: `1${'0'.repeat(40)}` }, 'history_limit_days is too large'],
  ]

  for (const [params, msg] of invalid) {
    const response = await ben.call(REPORT, params)
    assert.deepEqual([response.status, response.msg], [400, msg])
  }

  const response = await ada.call(REPORT, { status: 'idle', last_update_id: -1 })
  assert.deepEqual(seen(response, ben), [-30 * 86_400, 0])
  assert.equal(response.presence_last_update_id, 2)
})

test('bots are refused before their parameters are checked, guests are accepted', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  const gus = await chat.user('gus', { role: Role.guest })
  await ben.succeed(REPORT, { status: 'active' })

  const refused = await bot.call(REPORT)
  const response = await gus.call(REPORT, { status: 'active', last_update_id: -1 })

  assert.deepEqual([refused.status, refused.msg], [400, 'This endpoint does not accept bot requests.'])
  assert.deepEqual(Object.keys(response.presences), [String(ben.id), String(gus.id)])
})

test('user input is recorded in intervals that grow while they overlap', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben', { settings: { presence_enabled: false } })
  const input = async (afterSeconds: number) => {
    await chat.clock.advance(afterSeconds)
    const response = await ben.call(REPORT, { status: 'active', new_user_input: true, ping_only: true })
    assert.deepEqual(Object.keys(response), ['status', 'result', 'msg', 'presence_last_update_id'])
  }

  for (const afterSeconds of [0, 0.5, 600, 900, 901]) await input(afterSeconds)
  await chat.clock.advance(3600)
  await ben.call(REPORT, { status: 'active', ping_only: true })
  await chat.clock.advance(1)

  const rows = await chat.app.storage.db.selectFrom('activityIntervals').selectAll().orderBy('startedAt').execute()
  assert.deepEqual(
    rows.map((row) => [row.userId, row.startedAt - START, row.endedAt - START]),
    [
      [ben.id, 0, 2400.5],
      [ben.id, 2401.5, 3301.5],
    ],
  )
})

test('a user whose account is deactivated during their first report is not shown', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const { db, transaction, clock } = chat.app.services
  await ada.succeed(REPORT, { status: 'active' })
  const asAuthenticated = await findUser(db, ben.id)
  assert(asAuthenticated !== null)

  await transaction((tx) => saveUserFields(tx, ben.id, { deactivatedAt: tx.now }))
  await reportPresence(chat.app.services, { ...asAuthenticated, realm: chat.realm }, 'active', clock.now())

  assert.equal(seen(await ada.call(REPORT, { status: 'active', last_update_id: -1 }), ben), undefined)
})
