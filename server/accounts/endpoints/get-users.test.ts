import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressVisibility } from '#people/user-settings.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'

test('all users of the organization are listed by id, including bots and deactivated users', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  await ada.succeed(`DELETE /users/${ben.id}`)

  const { members } = await ada.succeed('GET /users')

  assert.deepEqual(
    members.map((member: { user_id: number; is_active: boolean; is_bot: boolean; bot_owner_id: number | null }) => [
      member.user_id,
      member.is_active,
      member.is_bot,
      member.bot_owner_id,
    ]),
    [
      [ada.id, true, false, null],
      [ben.id, false, false, null],
      [robo.id, false, true, ben.id],
    ],
  )
  const foreign = await ada.call(`GET /users/${eve.id}`)
  assert.partialDeepStrictEqual(foreign, { status: 400, code: 'BAD_REQUEST', msg: 'No such user' })
})

test('a user object has the fields that clients expect', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator, joinedAt: 1893456000.75 })
  const ben = await chat.user('ben')

  const { user } = await ben.succeed(`GET /users/${ada.id}`, { include_custom_profile_fields: true })

  assert.deepEqual(user, {
    user_id: ada.id,
    email: 'ada@example.com',
    delivery_email: 'ada@example.com',
    full_name: 'Ada',
    role: 200,
    is_owner: false,
    is_admin: true,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    is_active: true,
    date_joined: '2030-01-01T00:00:00+00:00',
    timezone: '',
    avatar_url: null,
    avatar_version: 1,
    profile_data: {},
  })
})

test('gravatar URLs are returned to clients that do not compute them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const { members } = await ada.succeed('GET /users', { client_gravatar: false })

  assert.match(members[0].avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/)
})

test('a hidden address is only returned to users who may see it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben', { settings: { email_address_visibility: AddressVisibility.administrators } })
  const cleo = await chat.user('cleo')

  const toAda = await ada.succeed(`GET /users/${ben.id}`)
  const toCleo = await cleo.succeed(`GET /users/${ben.id}`)
  const toBen = await ben.succeed('GET /users/me')

  const placeholder = `user${ben.id}@parley.test`
  assert.partialDeepStrictEqual(toAda['user'], { email: placeholder, delivery_email: 'ben@example.com' })
  assert.partialDeepStrictEqual(toCleo['user'], { email: placeholder, delivery_email: null })
  assert.partialDeepStrictEqual(toBen, { email: placeholder, delivery_email: 'ben@example.com' })
})

test('a user is found by a visible real address and by the placeholder, regardless of case', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben', { settings: { email_address_visibility: AddressVisibility.nobody } })

  const found = [
    await ben.call('GET /users/ADA@example.com'),
    await ben.call(`GET /users/user${ada.id}@parley.test`),
    await ada.call(`GET /users/User${ben.id}@Parley.test`),
    await ada.call('GET /users/ben%40example.com'),
    await ada.call(`GET /users/user${ben.id}@elsewhere.test`),
    await ada.call('GET /users/user99999@parley.test'),
    await ada.call('GET /users/nobody'),
    await ada.call('GET /users/a%00b@example.com'),
  ]

  assert.deepEqual(
    found.map((response) => response['user']?.user_id ?? response.msg),
    [ada.id, ada.id, ben.id, 'No such user', 'No such user', 'No such user', 'No such user', 'No such user'],
  )
})

test('a limited guest sees other people without a name, but all bots with theirs', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const gus = await chat.user('gus', { role: Role.guest })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ada })
  await chat.channel('design', [gus, ben])

  const { members } = await gus.succeed('GET /users')
  const outsider = await gus.call(`GET /users/${ada.id}`)
  const contact = await gus.succeed(`GET /users/${ben.id}`)

  const byId = new Map(members.map((member: { user_id: number }) => [member.user_id, member]))
  assert.partialDeepStrictEqual(byId.get(ada.id), {
    full_name: 'Unknown user',
    email: `user${ada.id}@parley.test`,
    delivery_email: null,
    role: 400,
    is_owner: false,
    avatar_url: '/static/unknown-user-avatar.png',
  })
  assert.partialDeepStrictEqual(byId.get(ben.id), { full_name: 'Ben' })
  assert.partialDeepStrictEqual(byId.get(robo.id), { full_name: 'Robo' })
  assert.partialDeepStrictEqual(outsider, { status: 400, msg: 'Insufficient permission' })
  assert.equal(contact['user'].full_name, 'Ben')
})

test('bots can get their own user', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const robo = await chat.user('robo', { botType: BotType.generic, owner: ben })

  const own = await robo.succeed('GET /users/me')

  assert.partialDeepStrictEqual(own, { user_id: robo.id, full_name: 'Robo', email: 'robo@example.com', is_bot: true })
  assert.equal(own['max_message_id'], -1)
})

test('the response about the caller contains the id of the newest message', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  const { id } = await ada.succeed('POST /messages', { type: 'direct', to: [ben.id], content: 'hello' })

  const own = await ben.succeed('GET /users/me')

  assert.equal(own['max_message_id'], id)
})

test('some users are returned by id, in the order of ids', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('design', [gus, ada])
  await chat.change({ can_access_all_users_group: 'role:members' })

  const user_ids = [cleo.id, ada.id, eve.id, 4711, ada.id]
  const { members } = await ben.succeed('GET /users', { user_ids })
  const { members: toGus } = await gus.succeed('GET /users', { user_ids })

  const names = (list: { full_name: string }[]) => list.map(({ full_name }) => full_name)
  assert.deepEqual(names(members), ['Ada', 'Cleo'])
  assert.deepEqual(names(toGus), ['Ada', 'Unknown user'])
})

test('a search finds active users by name and visible address, the best matches first', async () => {
  const chat = await startChat()
  const hidden = { email_address_visibility: AddressVisibility.nobody }
  const ada = await chat.user('ada', { role: Role.owner, fullName: 'Ada Lovelace' })
  const zoe = await chat.user('zoe', { fullName: 'Zoë Ames', email: 'loaf@example.com' })
  const lola = await chat.user('lola', { fullName: 'Mary-Lo Smith', settings: hidden, email: 'lob@example.com' })
  const gus = await chat.user('gus', { role: Role.guest, fullName: 'Lo Guest' })
  const dan = await chat.user('dan', { fullName: 'Lo Gone' })
  await ada.succeed(`DELETE /users/${dan.id}`)
  await chat.channel('design', [gus, zoe])
  await chat.change({ can_access_all_users_group: 'role:members' })
  const find = async (person: Person, query: string, limit?: number) =>
    (await person.succeed('GET /users/search', { query, limit })).members.map(
      ({ user_id }: { user_id: number }) => user_id,
    )

  assert.deepEqual(await find(ada, 'LO'), [gus.id, ada.id, lola.id, zoe.id])
  assert.deepEqual(await find(ada, 'LO', 1), [gus.id])
  assert.deepEqual(await find(ada, 'zoe'), [zoe.id])
  assert.deepEqual(await find(ada, 'lob@'), [])
  assert.deepEqual(await find(lola, 'lob@'), [lola.id])
  assert.deepEqual(await find(gus, 'lo'), [gus.id, zoe.id])
  await zoe.succeed('PATCH /settings', { full_name: 'Loretta' })
  assert.deepEqual(await find(ada, 'lore'), [zoe.id])
  assert.deepEqual(await find(ada, 'zoe'), [])
})
