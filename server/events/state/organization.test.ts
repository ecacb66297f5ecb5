import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { systemGroupId } from '../../../test/channels.ts'
import { type Body, type Person, startChat } from '../../../test/harness.ts'

const state = (person: Person, type = 'realm', params: Record<string, unknown> = {}): Promise<Body> =>
  person.succeed('POST /register', { fetch_event_types: [type], ...params })

test('the state has the settings of the organization, with permissions as group ids', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const only = { direct_members: [ada.id], direct_subgroups: [] }
  await ada.succeed('PATCH /realm', { name: 'Tea House', mandatory_topics: true, can_create_groups: { new: only } })

  const events = await state(ada)

  assert.partialDeepStrictEqual(events, {
    realm_name: 'Tea House',
    realm_url: 'http://parley.test',
    realm_uri: 'http://parley.test',
    realm_mandatory_topics: true,
    realm_message_retention_days: -1,
    realm_message_content_edit_limit_seconds: 600,
    realm_can_create_groups: only,
    realm_can_access_all_users_group: await systemGroupId(chat, 'role:everyone'),
  })
})

test('settings that only this server has are not in the state', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const fields = Object.keys(await state(ada))

  for (const name of ['max_invites', 'license_limit']) assert.equal(fields.includes(`realm_${name}`), false)
})

test('billing state is for clients that name realm_billing', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  assert.deepEqual((await state(ada, 'realm_billing'))['realm_billing'], { has_pending_sponsorship_request: false })
  assert.equal('realm_billing' in (await state(ada)), false)
})

test('older clients receive permissions as the numbers that they know', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const before = await state(ada)
  await chat.change({
    can_mention_many_users_group: await systemGroupId(chat, 'role:moderators'),
    can_create_public_channel_group: 'role:fullmembers',
    can_create_web_public_channel_group: { direct_members: [ada.id], direct_subgroups: [] },
    message_edit_history_visibility_policy: 'none',
  })

  const after = await state(ada)

  assert.partialDeepStrictEqual(before, {
    realm_wildcard_mention_policy: 5,
    realm_create_public_stream_policy: 1,
    realm_create_private_stream_policy: 1,
    realm_create_web_public_stream_policy: 7,
    realm_allow_edit_history: true,
  })
  assert.partialDeepStrictEqual(after, {
    realm_wildcard_mention_policy: 7,
    realm_create_public_stream_policy: 3,
    realm_create_private_stream_policy: 1,
    realm_create_web_public_stream_policy: 4,
    realm_allow_edit_history: false,
  })
})

test('the state lists the groups that each permission can be given to', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const { realm, stream, group } = (await state(ada)).server_supported_permission_settings

  assert.partialDeepStrictEqual(realm.can_create_groups, {
    allow_internet_group: false,
    allow_everyone_group: false,
    allow_nobody_group: true,
    default_group_name: 'role:members',
    allowed_system_groups: [],
  })
  assert.equal(realm.can_add_custom_emoji_group.allow_nobody_group, true)
  assert.deepEqual(realm.can_create_web_public_channel_group.allowed_system_groups, [
    'role:owners',
    'role:administrators',
    'role:moderators',
    'role:nobody',
  ])
  assert.equal(stream.can_administer_channel_group.default_group_name, 'stream_creator_or_nobody')
  assert.equal(group.can_mention_group.default_for_system_groups, 'role:nobody')
})

test('an organization on a subdomain receives its own URLs', async () => {
  const chat = await startChat()
  const tea = await chat.organization('tea')
  const ada = await chat.user('ada', { realm: tea })

  assert.partialDeepStrictEqual(await state(ada), {
    realm_url: 'http://tea.parley.test',
    realm_bot_domain: 'tea.parley.test',
    server_emoji_data_url: 'http://tea.parley.test/static/emoji/names.json',
  })
})

test('linkifiers are for clients that know URL templates; domains are for all', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const rule = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.com/{id}' }
  const { id } = await ada.succeed('POST /realm/filters', rule)
  await ada.succeed('POST /realm/domains', { domain: 'example.com', allow_subdomains: true })

  const older = await state(ada, 'realm_linkifiers')
  const newer = await state(ada, 'realm_linkifiers', { client_capabilities: { linkifier_url_template: true } })
  const { realm_domains } = await state(ada, 'realm_domains')

  assert.deepEqual(older.realm_linkifiers, [])
  assert.deepEqual(newer.realm_linkifiers, [{ id, ...rule }])
  assert.deepEqual((await state(ada, 'realm_filters')).realm_filters, [])
  assert.deepEqual(realm_domains, [{ domain: 'example.com', allow_subdomains: true }])
})

test('groups are listed with their members, deactivated ones for clients that know them', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  const make = (name: string) => ada.succeed('POST /user_groups/create', { name, description: '', members: [ben.id] })
  const [{ group_id: kept }, { group_id: ended }] = [await make('kept'), await make('ended')]
  await ada.succeed(`POST /user_groups/${ended}/deactivate`)
  type Group = { id: number; members: number[]; is_system_group: boolean }
  const groupsTold = async (capabilities: Record<string, boolean>): Promise<Group[]> =>
    (await state(ben, 'realm_user_groups', { client_capabilities: capabilities })).realm_user_groups

  const [older, newer] = [await groupsTold({}), await groupsTold({ include_deactivated_groups: true })]

  assert.equal(older.filter((group) => group.is_system_group).length, 8)
  assert.deepEqual(older.find(({ id }) => id === kept)?.members, [ben.id])
  assert.equal(
    older.some(({ id }) => id === ended),
    false,
  )
  assert.equal(
    newer.some(({ id }) => id === ended),
    true,
  )
})
