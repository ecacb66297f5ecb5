import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'

const dan = { email: 'dan@example.com', password: 'correct horse', full_name: 'Dan' }

test('an administrator creates a user who can log in, and everyone gets the event', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')

  const { user_id } = await ada.succeed('POST /users', dan)

  const login = await ben.succeed('POST /fetch_api_key', { username: 'DAN@example.com', password: dan.password })
  assert.partialDeepStrictEqual(login, { email: 'dan@example.com', user_id })
  const received = (await chat.eventsOf(ben)).filter((event) => event.type === 'realm_user')
  assert.equal(received.length, 1)
  assert.partialDeepStrictEqual(received[0], {
    op: 'add',
    person: { user_id, full_name: 'Dan', email: 'dan@example.com', delivery_email: 'dan@example.com', role: 400 },
  })
})

test('only administrators can create users', async () => {
  const chat = await startChat()
  const mod = await chat.user('mod', { role: Role.moderator })

  const response = await mod.call('POST /users', dan)

  assert.partialDeepStrictEqual(response, { status: 400, msg: 'Must be an organization administrator' })
})

test('a new user is subscribed to the default channels', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const general = await chat.channel('general', [ada])
  await chat.channel('design', [ada])
  await chat.app.services.transaction(async (tx) => {
    await tx.insertInto('defaultChannels').values({ realmId: chat.realm.id, channelId: general.id }).execute()
  })

  const { user_id } = await ada.succeed('POST /users', dan)

  const subscribers = await chat.app.services.db
    .selectFrom('subscriptions')
    .select(['channelId'])
    .where('userId', '=', user_id)
    .execute()
  assert.deepEqual(subscribers, [{ channelId: general.id }])
})

test('an address can have one account per organization, regardless of case', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })
  await ada.succeed('POST /users', dan)

  const again = await ada.call('POST /users', { ...dan, email: ' DAN@Example.com' })
  const elsewhere = await eve.call('POST /users', dan)
  const reserved = await ada.call('POST /users', { ...dan, email: 'Notification-Bot@parley.invalid' })

  assert.partialDeepStrictEqual(again, { status: 400, code: 'BAD_REQUEST', msg: 'Email is already in use.' })
  assert.equal(elsewhere.result, 'success')
  assert.equal(reserved.msg, 'Email is already in use.')
})

test('two accounts with the same address cannot be created at once', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const responses = await Promise.all([1, 2, 3, 4].map(() => ada.call('POST /users', dan)))

  assert.deepEqual(responses.map((response) => response.msg).sort(), [
    '',
    'Email is already in use.',
    'Email is already in use.',
    'Email is already in use.',
  ])
})

for (const [given, problem] of [
  [{ email: 'dan' }, 'Invalid address.'],
  [{ email: 'dan@mailinator.com' }, 'Please use your real email address.'],
  [{ full_name: ' ' }, 'Name too short!'],
  [{ password: 'short' }, 'The password must have at least 8 characters.'],
  [{ password: 'DAN@example.com' }, 'The password cannot be the email address.'],
] as const) {
  test(`no account is created with ${JSON.stringify(given)}`, async () => {
    const chat = await startChat()
    const ada = await chat.user('ada', { role: Role.owner })

    const response = await ada.call('POST /users', { ...dan, ...given })

    assert.partialDeepStrictEqual(response, { status: 400, code: 'BAD_REQUEST', msg: problem })
    assert.equal((await ada.succeed('GET /users'))['members'].length, 1)
  })
}

test('an organization can restrict addresses to its domains', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.change({ emails_restricted_to_domains: true })
  await chat.app.services.transaction(async (tx) => {
    await tx
      .insertInto('realmDomains')
      .values({ realmId: chat.realm.id, domain: 'example.com', allowSubdomains: 0 })
      .execute()
  })

  const outside = await ada.call('POST /users', { ...dan, email: 'dan@example.org' })
  const plus = await ada.call('POST /users', { ...dan, email: 'dan+1@example.com' })
  const inside = await ada.call('POST /users', dan)
  const changed = await ada.call('PATCH /users/dan@example.com', { new_email: 'dan@example.org' })

  assert.deepEqual(
    [outside.msg, plus.msg, inside.msg, changed.msg],
    ['Outside your domain.', 'Email addresses containing + are not allowed.', '', 'Outside your domain.'],
  )
})

test('an organization can require unique names', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  await chat.user('zoe', { realm: await chat.organization('other') })
  const gone = await chat.user('gone')
  await ada.succeed(`DELETE /users/${gone.id}`)
  await chat.user('robo', { botType: BotType.generic, owner: ada })
  await chat.change({ require_unique_names: true })
  const create = (full_name: string) =>
    ada.call('POST /users', { ...dan, email: `new-${full_name}@example.com`, full_name })

  const taken = [await ada.call('POST /users', { ...dan, full_name: 'ADA' })]
  taken.push(await ada.call('POST /users', { ...dan, full_name: 'Ａda' }))
  const free = [await create('Zoe'), await create('Robo'), await create('Gone')]
  const own = await ada.call('PATCH /settings', { full_name: 'ADA' })

  for (const response of taken)
    assert.partialDeepStrictEqual(response, { status: 400, msg: 'Unique names required in this organization.' })
  assert.deepEqual(
    [...free, own].map(({ msg }) => msg),
    ['', '', '', ''],
  )
})

test('limited guests receive a new user without a name', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.owner })
  const gus = await chat.user('gus', { role: Role.guest })

  const { user_id } = await ada.succeed('POST /users', dan)

  const events = (await chat.eventsOf(gus)).filter((event) => event.type === 'realm_user')
  assert.partialDeepStrictEqual(events, [
    { op: 'add', person: { user_id, full_name: 'Unknown user', delivery_email: null } },
  ])
})

test("a new user is emitted as a member of their role's groups", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const { user_id } = await ada.succeed('POST /users', dan)

  const received = (await chat.eventsOf(ada)).filter((event) => event.type === 'user_group')
  const groups = await chat.app.services.db
    .selectFrom('userGroups')
    .select('id')
    .where('systemName', 'in', ['role:members', 'role:fullmembers'])
    .execute()
  assert.deepEqual(new Set(received.map((event) => event['group_id'])), new Set(groups.map((group) => group.id)))
  for (const event of received) assert.partialDeepStrictEqual(event, { op: 'add_members', user_ids: [user_id] })
})
