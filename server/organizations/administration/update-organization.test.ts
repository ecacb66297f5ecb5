import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealm } from '#realms/queries.ts'
import type { RealmSettings } from '#realms/realm-settings.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, type ReceivedEvent, startChat } from '../../../test/harness.ts'

async function settingsOf(chat: Chat): Promise<RealmSettings> {
  const realm = await findRealm(chat.app.services.db, chat.realm.id)
  assert(realm)
  return realm.settings
}

async function systemGroup(person: Person, name: string): Promise<number> {
  const { user_groups: groups } = await person.succeed('GET /user_groups')
  return groups.find((group: { name: string }) => group.name === name).id
}

const realmEvents = async (chat: Chat, person: Person): Promise<ReceivedEvent[]> =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'realm')

test('an administrator can change settings, and only the differences are emitted', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const gus = await chat.user('gus', { role: Role.guest })

  const response = await ann.succeed('PATCH /realm', {
    name: ' Harbour ',
    description: 'Ships & more',
    enable_read_receipts: true,
    mandatory_topics: true,
    message_content_edit_limit_seconds: 60,
    message_edit_history_visibility_policy: 'moves',
  })

  assert.deepEqual(response, {
    status: 200,
    result: 'success',
    msg: '',
    description: 'Ships & more',
    mandatory_topics: true,
    message_content_edit_limit_seconds: 60,
    message_edit_history_visibility_policy: 'moves',
  })
  assert.deepEqual(await realmEvents(chat, gus), [
    { type: 'realm', op: 'update', property: 'name', value: 'Harbour' },
    { type: 'realm', op: 'update', property: 'description', value: 'Ships & more' },
    { type: 'realm', op: 'update', property: 'message_edit_history_visibility_policy', value: 'moves' },
    { type: 'realm', op: 'update', property: 'mandatory_topics', value: true },
    { type: 'realm', op: 'update_dict', property: 'default', data: { message_content_edit_limit_seconds: 60 } },
  ])
  assert.equal((await findRealm(chat.app.services.db, chat.realm.id))?.name, 'Harbour')
})

test('settings of features that this server does not have are listed as ignored, and announced as off', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const response = await ada.succeed('PATCH /realm', {
    default_language: 'de',
    can_summarize_topics_group: { new: await systemGroup(ada, 'role:owners') },
  })
  await chat.change({ default_language: 'fr' })
  const state = await ada.succeed('POST /register', { fetch_event_types: ['realm'] })

  assert.deepEqual(response['ignored_parameters_unsupported'], ['can_summarize_topics_group', 'default_language'])
  assert.deepEqual(await realmEvents(chat, ada), [])
  assert.equal(state.realm_default_language, 'en')
})

test('the type of an organization is one of those that clients know', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]

  const unknown = await ada.call('PATCH /realm', { org_type: 11 })
  const byMember = await ben.call('PATCH /realm', { org_type: 20 })
  const response = await ada.succeed('PATCH /realm', { org_type: 20 })

  assert.deepEqual(
    [unknown.status, unknown.msg],
    [400, 'Invalid org_type: Value error, Not in the list of possible values'],
  )
  assert.deepEqual([byMember.status, byMember.msg], [400, 'Must be an organization administrator'])
  assert.equal(response['org_type'], 20)
  assert.deepEqual(await realmEvents(chat, ben), [{ type: 'realm', op: 'update', property: 'org_type', value: 20 }])
  assert.equal((await ben.succeed('POST /register', { fetch_event_types: ['realm'] })).realm_org_type, 20)
})

test('calls use the server of the organization or else that of the installation, and can be turned off', async () => {
  const chat = await startChat({ settings: { JITSI_SERVER_URL: 'https://meet.example.org' } })
  const [ada, ben] = [await chat.user('ada', { role: Role.administrator }), await chat.user('ben')]
  const callsOf = async () => {
    const state = await ben.succeed('POST /register', { fetch_event_types: ['realm'] })
    return [
      state.realm_video_chat_provider,
      state.realm_jitsi_server_url,
      state.server_jitsi_server_url,
      state.jitsi_server_url,
    ]
  }
  const save = (address: string) => ada.succeed('PATCH /realm', { jitsi_server_url: JSON.stringify(address) })

  assert.deepEqual(await callsOf(), [1, null, 'https://meet.example.org', 'https://meet.example.org'])
  await save('https://calls.example.com/rooms/')
  assert.deepEqual((await callsOf()).slice(1, 4), [
    'https://calls.example.com/rooms/',
    'https://meet.example.org',
    'https://calls.example.com/rooms/',
  ])
  await save('default')
  await ada.succeed('PATCH /realm', { video_chat_provider: 0 })

  assert.deepEqual(await callsOf(), [0, null, 'https://meet.example.org', 'https://meet.example.org'])
  assert.deepEqual(
    (await realmEvents(chat, ben)).map(({ property, value }) => [property, value]),
    [
      ['jitsi_server_url', 'https://calls.example.com/rooms/'],
      ['jitsi_server_url', null],
      ['video_chat_provider', 0],
    ],
  )
})

test('a call server must be an https address that fits into a link, and its provider must be available', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const invalidAddresses = [
    ...['', 'meet.example.com', 'http://meet.example.com', 'https://', 'https:///rooms', 'javascript:alert(1)'],
    ...['https://a.example/?room=', 'https://a.example/#', 'https://me@a.example', 'https://a.example/a b'],
    ...['https://a.example/)[x](https://b.example', `https://a.example/${'a'.repeat(200)}`],
  ]

  for (const address of invalidAddresses) {
    const { status } = await ada.call('PATCH /realm', { jitsi_server_url: JSON.stringify(address) })
    assert.equal(status, 400, address)
  }
  for (const provider of [3, 4, -1]) {
    const { status } = await ada.call('PATCH /realm', { video_chat_provider: provider })
    assert.equal(status, 400, String(provider))
  }

  assert.equal((await settingsOf(chat)).jitsi_server_url, null)
  assert.equal((await settingsOf(chat)).video_chat_provider, 1)
})

test('the word unlimited removes a limit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  const lifted = await ada.succeed('PATCH /realm', {
    message_content_delete_limit_seconds: '"unlimited"',
    message_content_edit_limit_seconds: null,
    message_retention_days: 30,
  })
  const stored = await ada.succeed('PATCH /realm', { message_retention_days: '"unlimited"', description: 'unlimited' })

  assert.partialDeepStrictEqual(lifted, {
    message_content_delete_limit_seconds: null,
    message_content_edit_limit_seconds: null,
    message_retention_days: 30,
  })
  assert.partialDeepStrictEqual(stored, { message_retention_days: -1, description: 'unlimited' })
})

test('a permission is given to a group, and the change is refused if its old value is outdated', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const moderators = await systemGroup(ada, 'role:moderators')
  const members = await systemGroup(ada, 'role:members')
  const alone = { direct_members: [ben.id], direct_subgroups: [moderators] }

  await ada.succeed('PATCH /realm', { can_invite_users_group: { new: moderators, old: members } })
  const stale = await ada.call('PATCH /realm', { can_invite_users_group: { new: members, old: members } })
  await ada.succeed('PATCH /realm', { can_invite_users_group: { new: alone } })

  assert.deepEqual(
    [stale.status, stale.code, stale.msg],
    [400, 'EXPECTATION_MISMATCH', "'old' value does not match the expected value."],
  )
  assert.deepEqual((await settingsOf(chat)).can_invite_users_group, alone)
  assert.deepEqual(
    (await realmEvents(chat, ben)).map((event) => event['data']),
    [{ can_invite_users_group: moderators }, { can_invite_users_group: alone }],
  )
})

test('a permission cannot be given to missing or excluded groups', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const everyone = await systemGroup(ada, 'role:everyone')
  const nobody = { direct_members: [], direct_subgroups: [] }
  const give = (name: string, group: unknown) => ada.call('PATCH /realm', { [name]: { new: group } })

  const toStranger = await give('can_create_groups', { direct_members: [999], direct_subgroups: [] })
  const toNoGroup = await give('can_create_groups', 999)
  const toGuests = await give('can_create_groups', everyone)
  const toNobody = await give('can_manage_all_groups', nobody)
  const accepted = await give('can_create_groups', nobody)

  assert.equal(toStranger.msg, 'Invalid user ID: 999')
  assert.equal(toNoGroup.msg, 'Invalid user group')
  assert.equal(toGuests.msg, "'can_create_groups' setting cannot be set to 'role:everyone' group.")
  assert.equal(toNobody.msg, "'can_manage_all_groups' setting cannot be set to 'role:nobody' group.")
  assert.equal(accepted.result, 'success')
  assert.equal((await settingsOf(chat)).can_create_groups, 'role:nobody')
})

test('members cannot change settings, and administrators cannot change those of owners', async () => {
  const chat = await startChat()
  const ann = await chat.user('ann', { role: Role.administrator })
  const ben = await chat.user('ben', { role: Role.moderator })

  const byModerator = await ben.call('PATCH /realm', { mandatory_topics: true })
  const ofOwners = await ann.call('PATCH /realm', { mandatory_topics: true, waiting_period_threshold: 3 })
  const ofOperators = await ann.succeed('PATCH /realm', { license_limit: 5 })

  assert.equal(byModerator.msg, 'Must be an organization administrator')
  assert.equal(ofOwners.msg, 'Must be an organization owner')
  assert.deepEqual(ofOperators['ignored_parameters_unsupported'], ['license_limit'])
  assert.partialDeepStrictEqual(await settingsOf(chat), { mandatory_topics: false, license_limit: null })
})

test('settings for channels must name existing channels', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const open = await chat.channel('open', [])
  const closed = await chat.channel('closed', [], { isPrivate: true })
  const foreign = await chat.channel('theirs', [], { realm: await chat.organization('other') })
  const archived = await chat.channel('old', [])
  await ada.succeed(`DELETE /streams/${archived.id}`)
  const change = (params: Record<string, number>) => ada.call('PATCH /realm', params)

  const toForeign = await change({ signup_announcements_stream_id: foreign.id })
  const toArchived = await change({ signup_announcements_stream_id: archived.id })
  const moderatedInPublic = await change({ moderation_request_channel_id: open.id })
  const accepted = await change({ signup_announcements_stream_id: open.id, moderation_request_channel_id: closed.id })
  const none = await change({ signup_announcements_stream_id: -1 })

  assert.deepEqual([toForeign.msg, toArchived.msg], Array(2).fill('Invalid channel ID'))
  assert.equal(moderatedInPublic.msg, 'Moderation request channel must be private.')
  assert.partialDeepStrictEqual(accepted, {
    signup_announcements_stream_id: open.id,
    moderation_request_channel_id: closed.id,
  })
  assert.equal(none['signup_announcements_stream_id'], -1)
})

test('invalid values are refused by name', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const refusals: [Record<string, unknown>, string][] = [
    [{ name: ' ' }, 'name cannot be blank'],
    [{ name: '😀'.repeat(41) }, 'name is too long (limit: 40 characters)'],
    [{ description: 'x'.repeat(1001) }, 'description is too long (limit: 1000 characters)'],
    [{ mandatory_topics: 1 }, 'mandatory_topics is not a boolean'],
    [{ can_create_groups: 5 }, 'can_create_groups is not a dict'],
  ]

  for (const [params, msg] of refusals) assert.equal((await ada.call('PATCH /realm', params)).msg, msg)
  await ada.succeed('PATCH /realm', { name: '😀'.repeat(40) })
})

test('an owner can deactivate the organization, and users can no longer log in', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ann = await chat.user('ann', { role: Role.administrator })

  const refused = await ann.call('POST /realm/deactivate')
  await ada.succeed('POST /realm/deactivate')
  const afterwards = await ada.call('GET /user_groups')

  assert.equal(refused.msg, 'Must be an organization owner')
  assert.deepEqual([afterwards.status, afterwards.msg], [401, 'This organization has been deactivated'])
  assert.deepEqual(await realmEvents(chat, ann), [{ type: 'realm', op: 'deactivated', realm_id: chat.realm.id }])
})

test('the name of an organization is a single line without control characters and invisible characters', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })

  for (const name of ['a\r\nBcc: b', 'a\tb', 'a\u001bb', 'a\u2028b', 'a\u202eb', 'a\u2066b', '\u200b', '\u200d']) {
    const response = await ada.call('PATCH /realm', { name })
    const msg = 'Invalid name: Organization names cannot contain line breaks or invisible characters'
    assert.deepEqual([response.status, response.msg], [400, msg])
  }
  assert.equal((await ada.call('PATCH /realm', { name: ' Ünïted Harbour 👩‍💻 ' })).status, 200)
})
