import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type ReceivedEvent, startChat } from '../../test/harness.ts'
import { bothClients } from '../../test/listen.ts'

test('only clients that know URL templates receive linkifiers', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const { toOld, toNewer } = await bothClients(ada, 'linkifier_url_template')
  const rule = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' }

  const { id } = await ada.succeed('POST /realm/filters', rule)

  assert.deepEqual(await toOld(), [])
  assert.deepEqual(await toNewer(), [{ type: 'realm_linkifiers', realm_linkifiers: [{ id, ...rule }] }])
})

test('only clients that accept fields of this server receive them', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const stateFor = async (form: Record<string, unknown>) => {
    const { user_settings, realm_send_channel_removal_notices } = await ada.succeed('POST /register', form)
    const { presence_hidden_until, do_not_disturb_until } = user_settings
    return [realm_send_channel_removal_notices, presence_hidden_until, do_not_disturb_until]
  }
  const extensions = { client_capabilities: { parley_extensions: true } }
  const { toOld, toNewer } = await bothClients(ada, 'parley_extensions')
  const end = Math.floor(chat.clock.now()) + 3600

  await ada.succeed('PATCH /settings', { do_not_disturb_until: end })
  await ada.succeed('PATCH /realm', { send_channel_removal_notices: false })

  assert.deepEqual(await stateFor({}), [undefined, undefined, undefined])
  assert.deepEqual(await stateFor(extensions), [false, 0, end])
  assert.deepEqual(await toOld(), [])
  assert.deepEqual(
    (await toNewer()).map(({ type, property, value }) => [type, property, value]),
    [
      ['user_settings', 'do_not_disturb_until', end],
      ['realm', 'send_channel_removal_notices', false],
    ],
  )
})

test('a new subscription has null notification settings, or those of the user for clients that need values', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben', { settings: { enable_stream_push_notifications: true } })
  const gus = await chat.user('gus')
  await chat.channel('design', [ada])
  const clients = [
    await bothClients(ben, 'notification_settings_null'),
    await bothClients(gus, 'notification_settings_null'),
  ]

  const principals = [ben.id, gus.id]
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals })

  const kinds = ['desktop', 'audible', 'push', 'email', 'wildcard_mentions_notify']
  const addedTo = async (poll: () => Promise<ReceivedEvent[]>) => {
    const [event = { type: '' }] = (await poll()).filter(({ type, op }) => type === 'subscription' && op === 'add')
    assert.deepEqual(Object.keys(event).sort(), ['op', 'subscriptions', 'type'])
    const [subscription] = event['subscriptions'] as Record<string, unknown>[]
    return kinds.map((kind) => subscription?.[`${kind}_notifications`] ?? subscription?.[kind] ?? null)
  }
  const [ofBen, ofGus] = clients
  assert.deepEqual(ofBen && (await addedTo(ofBen.toOld)), [false, false, true, false, null])
  assert.deepEqual(ofGus && (await addedTo(ofGus.toOld)), [false, false, false, false, null])
  for (const one of clients) assert.deepEqual(await addedTo(one.toNewer), [null, null, null, null, null])
})

test('only clients that need them receive the accounts that a guest cannot see', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const ada = await chat.user('ada', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })
  const { toOld, toNewer } = await bothClients(gus, 'user_list_incomplete')

  const dan = { email: 'dan@example.com', password: 'correct horse battery', full_name: 'Dan' }
  const { user_id } = await ada.succeed('POST /users', dan)

  const ofPeople = (events: ReceivedEvent[]) => events.filter(({ type }) => type === 'realm_user')
  const [event, ...more] = ofPeople(await toOld())
  assert.deepEqual(more, [])
  assert.deepEqual(Object.keys(event ?? {}).sort(), ['op', 'person', 'type'])
  assert.partialDeepStrictEqual(event?.['person'], { user_id, full_name: 'Unknown user' })
  assert.deepEqual(ofPeople(await toNewer()), [])
})
