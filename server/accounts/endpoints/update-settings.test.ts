import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AddressVisibility, userSettingDeclarations } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { PASSWORD, submitPassword } from '../../../test/browser.ts'
import { type ReceivedEvent, startChat } from '../../../test/harness.ts'
import { bothClients } from '../../../test/listen.ts'

test('settings are changed, and the user gets an event for each difference', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')

  await ada.succeed('PATCH /settings', {
    twenty_four_hour_time: true,
    emojiset: 'twitter',
    web_font_size_px: 14,
    starred_message_counts: true,
  })

  assert.deepEqual(
    (await chat.eventsOf(ada)).filter(({ type }) => type === 'user_settings'),
    [
      { type: 'user_settings', op: 'update', property: 'twenty_four_hour_time', value: true },
      { type: 'user_settings', op: 'update', property: 'web_font_size_px', value: 14 },
      { type: 'user_settings', op: 'update', property: 'emojiset', value: 'twitter' },
    ],
  )
  assert.deepEqual(await chat.eventsOf(ben), [])
})

test('clients without support for user_settings get the older events', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const { toOld, toNewer } = await bothClients(ada, 'user_settings_object')

  const settings = { default_language: 'de', enable_sounds: false, web_font_size_px: 14, timezone: 'Europe/Paris' }
  await ada.succeed('PATCH /settings', settings)

  const isOfSettings = ({ type }: ReceivedEvent) => type.startsWith('update_') || type === 'user_settings'
  const language = { type: 'user_settings', op: 'update', property: 'default_language', value: 'de' }
  assert.deepEqual(
    (await toNewer()).filter(isOfSettings).map(({ property }) => property),
    ['timezone', 'web_font_size_px', 'default_language', 'enable_sounds'],
  )
  const received = (await toOld()).filter(isOfSettings)
  assert.deepEqual(
    received.find(({ property }) => property === 'default_language'),
    { ...language, language_name: 'Deutsch' },
  )
  const display = { type: 'update_display_settings', user: ada.email }
  assert.deepEqual(
    received.filter(({ type }) => type.startsWith('update_')),
    [
      { ...display, setting_name: 'timezone', setting: 'Europe/Paris' },
      { ...display, setting_name: 'default_language', setting: 'de', language_name: 'Deutsch' },
      { type: 'update_global_notifications', user: ada.email, notification_name: 'enable_sounds', setting: false },
    ],
  )
})

test('unchanged settings are not emitted, and the old names of the endpoint do the same', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  await ada.succeed('PATCH /settings/notifications', { enable_sounds: false })
  await ada.succeed('PATCH /settings/display', { full_name: 'Ada L.' })
  const before = (await chat.eventsOf(ada)).length

  const again = await ada.succeed('PATCH /settings', { enable_sounds: false, timezone: '', full_name: 'Ada L.', x: 1 })

  assert.deepEqual(again['ignored_parameters_unsupported'], ['x'])
  assert.equal(before, 3)
  assert.equal((await chat.eventsOf(ada)).length, before)
})

test('settings that are changed at the same time are all saved', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  await Promise.all([
    ada.succeed('PATCH /settings', { enable_sounds: false }),
    ada.succeed('PATCH /settings', { enter_sends: true }),
    ada.succeed('PATCH /settings', { fluid_layout_width: true }),
  ])

  const row = await chat.app.services.db
    .selectFrom('users')
    .select('settings')
    .where('id', '=', ada.id)
    .executeTakeFirstOrThrow()
  assert.deepEqual(JSON.parse(row.settings), { enable_sounds: false, enter_sends: true, fluid_layout_width: true })
})

for (const [given, problem] of [
  [{ enable_sounds: 'yes' }, 'enable_sounds is not valid JSON'],
  [{ enable_sounds: 1 }, 'enable_sounds is not a boolean'],
  [{ color_scheme: 9 }, 'Invalid color_scheme: Value error, Not in the list of possible values'],
  [{ emojiset: 'apple' }, 'Invalid emojiset: Value error, Not in the list of possible values'],
  [{ default_language: 'qq' }, 'Invalid default_language'],
  [{ notification_sound: 'gong' }, "Invalid notification sound 'gong'"],
  ...[-1, 0, 604_801].map(
    (seconds) =>
      [
        { email_notifications_batching_period_seconds: seconds },
        `Invalid email batching period: ${seconds} seconds`,
      ] as const,
  ),
  [{ timezone: 'Europe/Atlantis' }, 'Invalid timezone: Value error, Not a recognized time zone'],
  [{ full_name: 'Ada*' }, 'Invalid characters in name!'],
  [{ email: 'ada', old_password: PASSWORD }, 'Invalid address.'],
  [{ email: 'ben@example.com', old_password: PASSWORD }, 'Email is already in use.'],
  [{ new_password: 'correct horse' }, 'Wrong password!'],
] as const) {
  test(`nothing changes with ${JSON.stringify(given)}`, async () => {
    const chat = await startChat()
    const ada = await chat.user('ada')
    await submitPassword(chat, ada)
    await chat.user('ben')

    const response = await ada.call('PATCH /settings', { twenty_four_hour_time: true, ...given })

    assert.partialDeepStrictEqual(response, { status: 400, code: 'BAD_REQUEST', msg: problem })
    assert.deepEqual(await chat.eventsOf(ada), [])
  })
}

test('every setting accepts its default', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const defaults = Object.entries(userSettingDeclarations).map(([name, { fallback }]) => [name, fallback])

  const response = await ada.succeed('PATCH /settings', Object.fromEntries(defaults))

  assert.equal(response['ignored_parameters_unsupported'], undefined)
  assert.deepEqual(await chat.eventsOf(ada), [])
})

test('a new name and a new time zone are emitted to everyone', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')

  await ada.succeed('PATCH /settings', { full_name: 'Ada Lovelace', timezone: 'europe/london' })

  assert.deepEqual(await chat.eventsOf(ben), [
    { type: 'realm_user', op: 'update', person: { user_id: ada.id, full_name: 'Ada Lovelace' } },
    {
      type: 'realm_user',
      op: 'update',
      person: { user_id: ada.id, email: 'ada@example.com', timezone: 'Europe/London' },
    },
  ])
  assert.equal((await ada.succeed('GET /users/me'))['timezone'], 'Europe/London')
})

test('an organization can disable changes to names and addresses, except for administrators', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await chat.change({ name_changes_disabled: true, email_changes_disabled: true })

  const name = await ben.call('PATCH /settings', { full_name: 'Benjamin' })
  const address = await ben.call('PATCH /settings', { email: 'benjamin@example.com' })
  const same = await ben.call('PATCH /settings', { full_name: 'Ben', email: 'ben@example.com' })
  await submitPassword(chat, ada)
  const changes = { full_name: 'Ada L.', email: 'lovelace@example.com', old_password: PASSWORD }
  const byAdmin = await ada.call('PATCH /settings', changes)

  assert.equal(name.msg, 'Name changes are disabled in this organization.')
  assert.equal(address.msg, 'Email address changes are disabled in this organization.')
  assert.deepEqual([same.result, byAdmin.result], ['success', 'success'])
})

test('a user who stops sharing presence is offline for everyone at once', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const ben = await chat.user('ben')
  await ada.succeed('POST /users/me/presence', { status: 'active', last_update_id: -1 })

  await ada.succeed('PATCH /settings', { presence_enabled: false })

  const last = (await chat.eventsOf(ben)).at(-1)
  assert.partialDeepStrictEqual(last, { type: 'presence', user_id: ada.id })
  const { presences } = await ben.succeed('POST /users/me/presence', { status: 'active', last_update_id: -1 })
  assert.deepEqual(Object.keys(presences), [String(ben.id)])
  await ada.succeed('PATCH /settings', { presence_enabled: true })
  const after = await ben.succeed('POST /users/me/presence', { status: 'active', last_update_id: -1 })
  assert.deepEqual(Object.keys(after['presences']).sort(), [String(ada.id), String(ben.id)].sort())
})

test('changing a password requires the old one', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const dan = { email: 'dan@example.com', password: 'correct horse', full_name: 'Dan' }
  await ada.succeed('POST /users', dan)
  const { api_key } = await ada.succeed('POST /fetch_api_key', { username: dan.email, password: dan.password })
  const authorization = `Basic ${Buffer.from(`${dan.email}:${api_key}`).toString('base64')}`
  const asDan = (params: Record<string, string>) => ada.call('PATCH /settings', params, { authorization })

  const wrong = await asDan({ old_password: 'battery staple', new_password: 'a new password' })
  const weak = await asDan({ old_password: dan.password, new_password: 'short' })
  const right = await asDan({ old_password: dan.password, new_password: 'a new password' })

  assert.equal(wrong.msg, 'Wrong password!')
  assert.equal(weak.msg, 'The password must have at least 8 characters.')
  assert.equal(right.result, 'success')
  const fetchKey = (password: string) => ada.call('POST /fetch_api_key', { username: dan.email, password })
  assert.equal((await fetchKey(dan.password)).code, 'AUTHENTICATION_FAILED')
  assert.equal((await fetchKey('a new password')).result, 'success')
})

test('a hidden address is not sent to users who may not see it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben', { settings: { email_address_visibility: AddressVisibility.administrators } })
  const cleo = await chat.user('cleo')

  await ben.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.everyone })
  await ben.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.administrators })

  const changesTo = async (person: typeof ada) =>
    (await chat.eventsOf(person))
      .filter((event) => event.type === 'realm_user')
      .map((event) => event['person'] as Record<string, unknown>)
      .filter((change) => !('avatar_url' in change))
  const placeholder = `user${ben.id}@parley.test`
  assert.deepEqual(await changesTo(cleo), [
    { user_id: ben.id, delivery_email: 'ben@example.com' },
    { user_id: ben.id, new_email: 'ben@example.com' },
    { user_id: ben.id, delivery_email: null },
    { user_id: ben.id, new_email: placeholder },
  ])
  assert.deepEqual(await changesTo(ada), [
    { user_id: ben.id, new_email: 'ben@example.com' },
    { user_id: ben.id, new_email: placeholder },
  ])
})

test('hiding the address changes the gravatar, even for clients that compute it', async () => {
  const chat = await startChat()
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const avatarOf = async (params: Record<string, unknown>) => {
    const { realm_users } = await cleo.succeed('POST /register', { fetch_event_types: ['realm_user'], ...params })
    return realm_users.find((user: { user_id: number }) => user.user_id === ben.id).avatar_url
  }

  const computed = await avatarOf({ client_gravatar: true })
  const address = await avatarOf({ client_gravatar: false })
  await ben.succeed('PATCH /settings', { email_address_visibility: AddressVisibility.members })

  assert.equal(computed, null)
  const picture = await avatarOf({ client_gravatar: true })
  assert.equal(await avatarOf({ client_gravatar: false }), picture)
  assert.notEqual(picture, address)
  const events = (await chat.eventsOf(cleo)).map((event) => event['person'] as Record<string, unknown> | undefined)
  assert.equal(events.findLast((person) => person !== undefined && 'avatar_url' in person)?.['avatar_url'], picture)
})
