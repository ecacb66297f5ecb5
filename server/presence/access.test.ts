import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Body, type Chat, type Person, START, startChat } from '../../test/harness.ts'

const REPORT = 'POST /users/me/presence'

const idsIn = ({ presences }: Body) => Object.keys(presences).map(Number)

/** Gus is a guest who sees Ben through a channel and Cleo through a conversation, but cannot see Dan. */
async function startWithGuest(): Promise<{ chat: Chat; gus: Person; ben: Person; cleo: Person; dan: Person }> {
  const chat = await startChat({ settings: { CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: true } })
  const gus = await chat.user('gus', { role: Role.guest })
  const [ben, cleo, dan] = [await chat.user('ben'), await chat.user('cleo'), await chat.user('dan')]
  await chat.channel('design', [gus, ben])
  await chat.channel('past', [gus, dan], { archivedAt: START } as object)
  await chat.app.services.transaction(async (tx) => {
    const participantsKey = `${gus.id},${cleo.id}`
    const { id } = await tx
      .insertInto('conversations')
      .values({ realmId: chat.realm.id, recipientId: null, participantsKey })
      .returning('id')
      .executeTakeFirstOrThrow()
    const members = [gus, cleo].map((person) => ({ conversationId: id, userId: person.id }))
    await tx.insertInto('conversationMembers').values(members).execute()
    await tx.updateTable('channels').set({ archivedAt: START }).where('name', '=', 'past').execute()
  })
  return { chat, gus, ben, cleo, dan }
}

test('where presence is limited, guests see only the presence of users whom they may see', async () => {
  const { chat, gus, ben, cleo, dan } = await startWithGuest()
  for (const person of [dan, ben, cleo]) await person.succeed(REPORT, { status: 'active' })
  const fetched = async (params: object) => idsIn(await gus.succeed(REPORT, { status: 'idle', ...params }))
  const everybody = [gus.id, ben.id, cleo.id, dan.id]

  assert.deepEqual(await fetched({ last_update_id: -1 }), everybody)
  await chat.change({ can_access_all_users_group: 'role:members' })

  assert.deepEqual(await fetched({ last_update_id: -1 }), [gus.id, ben.id, cleo.id])
  assert.deepEqual(await fetched({ last_update_id: 2 }), [gus.id, cleo.id])
  assert.deepEqual(Object.keys((await gus.succeed('GET /realm/presence')).presences).length, 3)
  assert.equal((await gus.call(`GET /users/${dan.id}/presence`)).msg, 'Insufficient permission')
  await gus.succeed(`GET /users/${cleo.id}/presence`)
  assert.deepEqual(idsIn(await dan.succeed(REPORT, { status: 'idle', last_update_id: -1 })), everybody)
  chat.settings.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE = false
  assert.deepEqual(await fetched({ last_update_id: -1 }), everybody)
})

test('guests do not get the presence of users who do not share theirs, even if they may see them', async () => {
  const { chat, gus, ben, cleo } = await startWithGuest()
  for (const person of [ben, cleo]) await person.succeed(REPORT, { status: 'active' })
  await chat.change({ can_access_all_users_group: 'role:members' })

  await ben.succeed('PATCH /settings', { presence_enabled: false })

  assert.deepEqual(idsIn(await gus.succeed(REPORT, { status: 'idle', last_update_id: -1 })), [gus.id, cleo.id])
})

test('guests do not get the email addresses of users whom they may not see, but other users do', async () => {
  const chat = await startChat()
  const gus = await chat.user('gus', { role: Role.guest })
  const [ben, dan] = [await chat.user('ben'), await chat.user('dan')]
  await chat.channel('design', [gus, ben])
  await chat.change({ can_access_all_users_group: 'role:members' })
  for (const person of [ben, dan, gus]) await person.succeed(REPORT, { status: 'active' })
  const placeholder = `user${dan.id}@parley.test`

  const [toGus, toBen] = [
    [ben.email, gus.email, placeholder],
    [ben.email, dan.email, gus.email],
  ]
  for (const [person, emails] of [
    [gus, toGus],
    [ben, toBen],
    [gus, toGus],
  ] as const) {
    for (const response of [
      await person.succeed(REPORT, { status: 'idle' }),
      await person.succeed('GET /realm/presence'),
      await person.succeed('POST /register', { event_types: ['presence'] }),
    ])
      assert.deepEqual(Object.keys(response['presences']).toSorted(), emails)
    const events = (await chat.eventsOf(person)).filter((event) => event['user_id'] === dan.id)
    assert.deepEqual(
      events.map((event) => event['email']),
      [person === gus ? placeholder : dan.email],
    )
  }
  assert.equal((await gus.call(`GET /users/${dan.email}/presence`)).msg, 'No such user')
  await gus.succeed(`GET /users/${placeholder}/presence`)
})

test('the presence of one user is offline if they were last seen more than 200 seconds ago', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  await chat.clock.advance(0.75)
  await ben.succeed(REPORT, { status: 'active' })
  const fetched = async () => (await ada.succeed(`GET /users/${ben.id}/presence`)).presence

  const presence = { status: 'active', timestamp: START }
  assert.deepEqual(await fetched(), { aggregated: presence, website: presence })
  await chat.clock.advance(200)
  assert.deepEqual(await fetched(), { aggregated: presence, website: presence })
  await chat.clock.advance(1)
  assert.deepEqual(await fetched(), { aggregated: { ...presence, status: 'offline' }, website: presence })
})

test('a user is found by id or API email address, and an error names the user without presence', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben', { settings: { email_address_visibility: 4 } })]
  const [gone, silent] = [await chat.user('gone'), await chat.user('silent')]
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  for (const person of [ben, gone, eve]) await person.succeed(REPORT, { status: 'active' })
  await chat.app.services.transaction((tx) => saveUserFields(tx, gone.id, { deactivatedAt: START }))
  const asked = async (target: string | number, by = ada) => (await by.call(`GET /users/${target}/presence`)).msg

  assert.equal(await asked(ben.id), '')
  assert.equal(await asked(`000${ben.id}`), '')
  assert.equal(await asked(`USER${ben.id}@parley.test`), '')
  assert.equal(await asked(ben.id, bot), '')
  for (const address of [ben.email, gone.id, eve.id, eve.email, 999_999, '9'.repeat(40), 'nobody@example.com', '%FF']) {
    assert.equal(await asked(address), 'No such user', String(address))
  }
  for (const malformed of [`%2B${ben.id}`, `${ben.id}%20`, `${silent.email}%20`])
    assert.equal(await asked(malformed), 'No such user', malformed)
  assert.equal(await asked(bot.id), 'Presence is not supported for bot users.')
  assert.equal(await asked(silent.email), `No presence data for ${silent.email}`)
})

test('bots can fetch the presence of all users', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ben })
  await ben.succeed(REPORT, { status: 'active' })

  const response = await bot.succeed('GET /realm/presence')

  assert.deepEqual(Object.keys(response), ['status', 'result', 'msg', 'server_timestamp', 'presences'])
  assert.deepEqual(Object.keys(response.presences), [ben.email])
})
