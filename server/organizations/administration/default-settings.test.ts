import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { refusalResponse } from '../../../test/channels.ts'
import { type Person, startChat } from '../../../test/harness.ts'

const defaultsOf = async (person: Person) =>
  (await person.succeed('POST /register', { fetch_event_types: ['realm_user_settings_defaults'] }))[
    'realm_user_settings_defaults'
  ]

const newUser = (name: string) => ({
  email: `${name}@example.com`,
  password: 'correct horse battery',
  full_name: name,
})

test('new users start with the default settings of the organization, and only the differences are emitted', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })
  const { user_id: early } = await ada.succeed('POST /users', newUser('early'))

  await ada.succeed('PATCH /realm/user_settings_defaults', {
    left_side_userlist: true,
    emojiset: 'twitter',
    email_address_visibility: 3,
    enter_sends: false,
  })
  await ada.succeed('PATCH /realm/user_settings_defaults', { left_side_userlist: true })
  const { user_id: late } = await ada.succeed('POST /users', newUser('late'))

  const events = (await chat.eventsOf(gus)).filter(({ type }) => type === 'realm_user_settings_defaults')
  const event = { type: 'realm_user_settings_defaults', op: 'update' }
  assert.deepEqual(events, [
    { ...event, property: 'email_address_visibility', value: 3 },
    { ...event, property: 'left_side_userlist', value: true },
    { ...event, property: 'emojiset', value: 'twitter' },
  ])
  const emailOf = async (id: number) => (await gus.succeed(`GET /users/${id}`))['user'].email
  assert.equal(await emailOf(early), 'early@example.com')
  assert.equal(await emailOf(late), `user${late}@parley.test`)
  assert.partialDeepStrictEqual(await defaultsOf(gus), {
    left_side_userlist: true,
    emojiset: 'twitter',
    email_address_visibility: 3,
    enter_sends: false,
    starred_message_counts: true,
  })
})

test('default settings do not apply to bots or to other organizations', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const eve = await chat.user('eve', { role: Role.owner, realm: await chat.organization('other') })

  await ada.succeed('PATCH /realm/user_settings_defaults', { email_address_visibility: 4 })
  const { user_id: bot } = await ada.succeed('POST /bots', { full_name: 'Helper', short_name: 'helper', bot_type: 1 })

  assert.equal((await ada.succeed(`GET /users/${bot}`))['user'].email, 'helper-bot@parley.test')
  assert.equal((await defaultsOf(eve)).email_address_visibility, 1)
})

test('only administrators can change default settings, and only to valid values', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const mod = await chat.user('mod', { role: Role.moderator })
  const change = (person: Person, given: Record<string, unknown>) =>
    person.call('PATCH /realm/user_settings_defaults', given)

  assert.deepEqual(
    await change(mod, { enter_sends: true }),
    refusalResponse('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
  )
  assert.deepEqual(
    await change(ada, { color_scheme: 9 }),
    refusalResponse('Invalid color_scheme: Value error, Not in the list of possible values'),
  )
  assert.deepEqual(
    await change(ada, { notification_sound: 'gong' }),
    refusalResponse("Invalid notification sound 'gong'"),
  )
  assert.deepEqual(await change(ada, { enter_sends: 1 }), refusalResponse('enter_sends is not a boolean'))
  const ignored = await change(ada, { default_language: 'de', timezone: 'Europe/Berlin' })
  assert.deepEqual(ignored['ignored_parameters_unsupported'], ['default_language', 'timezone'])
})
