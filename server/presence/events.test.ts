import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, START, startChat } from '../../test/harness.ts'

const REPORT = 'POST /users/me/presence'

const countEvents = async (chat: Chat, person: Person) => (await chat.eventsOf(person)).length

test('an event about a user coming online is sent to everyone, including bots and the user', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { settings: { email_address_visibility: 2 } })]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })

  await chat.clock.advance(0.5)
  await ben.succeed(REPORT, { status: 'active' })

  const event = {
    type: 'presence',
    user_id: ben.id,
    email: `user${ben.id}@parley.test`,
    server_timestamp: START + 0.5,
    presence: { website: { client: 'website', status: 'active', timestamp: START, pushable: false } },
  }
  for (const person of [ada, ben, bot]) assert.deepEqual(await chat.eventsOf(person), [event])
  assert.deepEqual(await chat.eventsOf(eve), [])
})

test('activity raises an event again if the last one is more than 130 seconds old', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const events = []

  for (const seconds of [0, 56, 130, 131]) {
    await chat.clock.advance(seconds)
    await ben.succeed(REPORT, { status: 'active' })
    events.push(await countEvents(chat, ben))
  }

  assert.deepEqual(events, [1, 1, 1, 2])
})

test('a first idle report and the activity after it raise events, further idle reports do not', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const events = []

  for (const [seconds, status] of [
    [0, 'idle'],
    [5, 'active'],
    [125, 'active'],
    [300, 'idle'],
    [60, 'active'],
  ] as const) {
    await chat.clock.advance(seconds)
    await ben.succeed(REPORT, { status })
    events.push(await countEvents(chat, ben))
  }

  assert.deepEqual(events, [1, 2, 2, 2, 3])
  assert.equal(
    ((await chat.eventsOf(ben))[0] as { presence?: { website: { status: string } } }).presence?.website.status,
    'idle',
  )
})

test('no events are sent to an audience of more than a hundred', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  for (let more = 2; more <= 100; more++) await chat.user(`u${more}`)

  await ben.succeed(REPORT, { status: 'active' })
  const among100 = await countEvents(chat, ben)
  const cleo = await chat.user('cleo')
  await chat.clock.advance(131)
  await ben.succeed(REPORT, { status: 'active' })

  assert.equal(among100, 1)
  assert.equal(await countEvents(chat, ben), 1)
  assert.equal((await cleo.succeed(REPORT, { status: 'idle', last_update_id: 1 })).presence_last_update_id, 3)

  await chat.app.services.transaction((tx) => saveUserFields(tx, cleo.id, { deactivatedAt: tx.now }))
  await chat.clock.advance(131)
  await ben.succeed(REPORT, { status: 'active' })
  assert.equal(await countEvents(chat, ben), 2)
})

test('where presence is limited, guests receive events only about users whom they may see', async () => {
  const chat = await startChat({ settings: { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true } })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('design', [gus, ben])
  await chat.change({ can_access_all_users_group: 'role:members' })

  await cleo.succeed(REPORT, { status: 'active' })
  const beforeBen = await countEvents(chat, gus)
  await ben.succeed(REPORT, { status: 'active' })

  assert.equal(beforeBen, 0)
  assert.equal(await countEvents(chat, gus), 1)
  assert.equal(await countEvents(chat, cleo), 2)

  for (const person of [cleo, ben]) await person.succeed('PATCH /settings', { presence_enabled: false })
  const toGuest = (await chat.eventsOf(gus)).filter(({ type }) => type === 'presence')
  assert.deepEqual(
    toGuest.map((event) => event['user_id']),
    [ben.id, ben.id],
  )
})

test('where presence is not limited, guests receive events about users whom they may not see', async () => {
  const chat = await startChat()
  const cleo = await chat.user('cleo')
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.change({ can_access_all_users_group: 'role:members' })

  await cleo.succeed(REPORT, { status: 'active' })
  await cleo.succeed('PATCH /settings', { presence_enabled: false })

  assert.equal(await countEvents(chat, gus), 2)
})

test('guests who receive no events do not count towards the hundred', async () => {
  const chat = await startChat({ settings: { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true } })
  const ben = await chat.user('ben')
  for (let more = 1; more <= 100; more++) await chat.user(`g${more}`, { role: Role.guest })
  await chat.change({ can_access_all_users_group: 'role:members' })

  await ben.succeed(REPORT, { status: 'active' })

  assert.equal(await countEvents(chat, ben), 1)
})
