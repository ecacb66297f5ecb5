import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRealmDomains } from '#realms/domains.ts'
import { findRealm } from '#realms/queries.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { changeRealmSettings } from './change-realm-settings.ts'

const change = (chat: Chat, changes: Record<string, unknown>) =>
  chat.app.services.transaction((tx) => changeRealmSettings(tx, chat.realm, changes))

test('the operator can change settings by API name, and everyone gets the events', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')

  await change(chat, { can_invite_users_group: 'role:administrators', license_limit: 3, presence_disabled: true })

  const realm = await findRealm(chat.app.services.db, chat.realm.id)
  const { user_groups: groups } = await ben.succeed('GET /user_groups')
  const administrators = groups.find((group: { name: string }) => group.name === 'role:administrators').id
  assert.partialDeepStrictEqual(realm?.settings, {
    can_invite_users_group: 'role:administrators',
    license_limit: 3,
    presence_disabled: true,
  })
  assert.deepEqual(await chat.eventsOf(ben), [
    { type: 'realm', op: 'update', property: 'presence_disabled', value: true },
    { type: 'realm', op: 'update_dict', property: 'default', data: { can_invite_users_group: administrators } },
  ])
})

test('permissions can be set to a group id, or to several users and groups', async () => {
  const chat = await startChat()
  const ben = await chat.user('ben')
  const { group_id } = await ben.succeed('POST /user_groups/create', { name: 'few', description: '', members: [] })
  const alone = { direct_members: [ben.id], direct_subgroups: [] }

  await change(chat, { can_create_groups: group_id, can_create_bots_group: alone })

  const realm = await findRealm(chat.app.services.db, chat.realm.id)
  assert.partialDeepStrictEqual(realm?.settings, { can_create_groups: group_id, can_create_bots_group: alone })
})

test('the name, creation date, domains and deactivation of an organization can be changed', async () => {
  const chat = await startChat()
  const { db } = chat.app.services
  await change(chat, { domains: [{ domain: 'old.example' }, { domain: 'kept.example' }] })

  await change(chat, {
    name: 'Harbour',
    date_created: 1_700_000_000,
    deactivated: true,
    domains: [{ domain: 'Kept.example', allow_subdomains: true }],
  })
  const changed = await findRealm(db, chat.realm.id)
  await change(chat, { deactivated: false })
  const restored = await findRealm(db, chat.realm.id)

  assert.partialDeepStrictEqual(changed, {
    name: 'Harbour',
    createdAt: 1_700_000_000,
    deactivatedAt: chat.clock.now(),
  })
  assert.equal(restored?.deactivatedAt, null)
  assert.deepEqual(await findRealmDomains(db, chat.realm.id), [{ domain: 'kept.example', allowsSubdomains: true }])
})

test('unknown names and invalid values are refused by name, and nothing changes', async () => {
  const chat = await startChat()
  const refusals: [Record<string, unknown>, RegExp][] = [
    [{ no_such_setting: 1 }, /There is no organization setting 'no_such_setting'/],
    [{ constructor: 1 }, /There is no organization setting 'constructor'/],
    [{ invite_required: 'yes' }, /Invalid value for the organization setting 'invite_required'/],
    [{ can_create_groups: 'role:visitors' }, /Invalid value for the organization setting 'can_create_groups'/],
    [{ can_create_groups: 'role:everyone' }, /cannot be set to 'role:everyone' group/],
    [{ can_create_groups: 999 }, /Invalid user group/],
    [{ date_created: 'yesterday' }, /Invalid value for the organization setting 'date_created'/],
    [{ domains: [{ domain: 'nowhere' }] }, /must have at least one dot/],
  ]

  for (const [changes, message] of refusals)
    await assert.rejects(change(chat, { description: 'new', ...changes }), { message })

  const realm = await findRealm(chat.app.services.db, chat.realm.id)
  assert.equal(realm?.settings.description, '')
})
