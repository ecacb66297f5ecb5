import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUser } from '#people/user-queries.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { markDeactivated } from '../../../test/channels.ts'
import { type Body, type Person, startChat } from '../../../test/harness.ts'

const state = (person: Person, params: Record<string, unknown> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: ['realm_user'], ...params })

type Account = { user_id: number; full_name: string; email: string; delivery_email: string | null; avatar_url: string }

const accountIn = (accounts: Account[], { id }: Person) => accounts.find((account) => account.user_id === id)

const idsOf = (accounts: Account[]) => accounts.map((account) => account.user_id)

test('active and deactivated accounts are listed separately', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bot = await chat.user('helper', { botType: 1, owner: ada })
  const gone = await chat.user('gone')
  await markDeactivated(chat, gone)
  const other = await chat.organization('other')
  await chat.user('outsider', { realm: other })

  const { realm_users, realm_non_active_users } = await state(ada)

  assert.deepEqual(idsOf(realm_users), [ada.id, ben.id, bot.id])
  assert.deepEqual(idsOf(realm_non_active_users), [gone.id])
})

test("the server's own bots are listed apart from the organization's", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const { cross_realm_bots: bots, realm_users } = await state(ada)

  assert.deepEqual(
    bots.map(({ full_name, is_bot, is_system_bot }: Record<string, unknown>) => [full_name, is_bot, is_system_bot]),
    [
      ['Notification Bot', true, true],
      ['Welcome Bot', true, true],
      ['Email Gateway', true, true],
    ],
  )
  assert.deepEqual(idsOf(realm_users), [ada.id])
})

test('a hidden email address stays hidden, and so does its gravatar', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo', { settings: { email_address_visibility: AddressVisibility.administrators } })

  const toBen = accountIn((await state(ben)).realm_users, cleo)
  const toAda = accountIn((await state(ada)).realm_users, cleo)
  const toCleo = await state(cleo)

  assert.partialDeepStrictEqual(toBen, { email: `user${cleo.id}@parley.test`, delivery_email: null })
  assert.match(String(toBen?.avatar_url), /^https:\/\/secure\.gravatar\.com\//)
  assert.partialDeepStrictEqual(toAda, { email: `user${cleo.id}@parley.test`, delivery_email: 'cleo@example.com' })
  assert.partialDeepStrictEqual(toCleo, { email: `user${cleo.id}@parley.test`, delivery_email: 'cleo@example.com' })
})

test('clients compute gravatars unless they request the URLs', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const [left, events] = [await state(ada), await state(ada, { client_gravatar: false })]

  assert.equal(accountIn(left.realm_users, ada)?.avatar_url, null)
  assert.match(String(accountIn(events.realm_users, ada)?.avatar_url), /^https:\/\/secure\.gravatar\.com\//)
})

test('a limited guest sees the users they share a channel with; others have no name, or are left out with user_list_incomplete', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.channel('design', [ada, gus])
  await chat.change({ can_access_all_users_group: 'role:members' })

  const { realm_users: whole } = await state(gus)
  const { realm_users: known } = await state(gus, { client_capabilities: { user_list_incomplete: true } })

  assert.equal(accountIn(whole, ada)?.full_name, 'Ada')
  assert.partialDeepStrictEqual(accountIn(whole, ben), {
    full_name: 'Unknown user',
    email: `user${ben.id}@parley.test`,
    delivery_email: null,
    avatar_url: '/static/unknown-user-avatar.png',
  })
  assert.deepEqual(idsOf(known), [ada.id, gus.id])
})

test("the state has the user's own role and permissions", async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.moderator })
  const gus = await chat.user('gus', { role: Role.guest })
  await chat.change({ can_create_public_channel_group: 'role:moderators' })

  const [toAda, toGus] = [await state(ada), await state(gus)]

  assert.partialDeepStrictEqual(toAda, {
    user_id: ada.id,
    full_name: 'Ada',
    email: 'ada@example.com',
    avatar_source: 'G',
    is_owner: false,
    is_admin: false,
    is_moderator: true,
    is_guest: false,
    can_create_streams: true,
    can_create_public_streams: true,
    can_create_private_streams: true,
    can_create_web_public_streams: false,
    can_subscribe_other_users: true,
    can_invite_others_to_realm: true,
  })
  assert.partialDeepStrictEqual(toGus, {
    is_moderator: false,
    is_guest: true,
    can_create_streams: false,
    can_subscribe_other_users: false,
    can_invite_others_to_realm: false,
  })
})

test('bots are listed for their owners and for administrators', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const helper = await chat.user('helper', { botType: 1, owner: ben })
  const params = { full_name: 'Hook', short_name: 'hook', bot_type: 3, payload_url: '"https://example.com/hook"' }
  const { user_id: hookId } = await ben.succeed('POST /bots', params)

  const botsOf = async (person: Person) => (await state(person, { fetch_event_types: ['realm_bot'] })).realm_bots

  assert.deepEqual(idsOf(await botsOf(ada)), [helper.id, hookId])
  assert.deepEqual(await botsOf(cleo), [])
  const [, hook] = await botsOf(ben)
  assert.partialDeepStrictEqual(hook, {
    user_id: hookId,
    owner_id: ben.id,
    is_active: true,
    services: [{ base_url: 'https://example.com/hook', interface: 1 }],
  })
  assert.equal('api_key' in hook, false)
})

test('in large organizations, clients with both capabilities get the users whom they need first', async () => {
  const chat = await startChat()
  const owner = await chat.user('owner', { role: Role.owner })
  await chat.app.services.transaction(async (tx) => {
    for (let number = 0; number < 3000; number += 1)
      await saveUser(tx, {
        ...{ realmId: chat.realm.id, deliveryEmail: `${number}@example.com`, fullName: 'P', role: Role.member },
      })
  })
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const robo = await chat.user('robo', { botType: 1, owner: cleo })
  await ben.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'Hello' })
  await ada.succeed(`POST /users/me/muted_users/${cleo.id}`)
  const both = { user_list_incomplete: true, parley_extensions: true }

  const first = await state(ada, { client_capabilities: both })
  const whole = await state(ada, { client_capabilities: { user_list_incomplete: true } })
  const guest = await state(await chat.user('gus', { role: Role.guest }), { client_capabilities: both })
  await chat.change({ can_access_all_users_group: 'role:members' })
  const limited = await state(await chat.user('gil', { role: Role.guest }), { client_capabilities: both })

  assert.deepEqual(idsOf(first.realm_users), [owner.id, ada.id, ben.id, cleo.id, robo.id])
  assert.deepEqual(
    [first, whole, guest, limited].map((one) => one['user_list_incomplete']),
    [true, undefined, true, false],
  )
  assert.equal(whole.realm_users.length, 3005)
})
