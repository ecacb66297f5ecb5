import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startChat } from '../../../test/harness.ts'
import { exportIds, harbour, message, type TestExport, writeExport } from '../../../test/importing/export-builder.ts'
import { importInto, messagesOf } from '../../../test/importing/import-into.ts'
import { smallPng } from '../../../test/pictures.ts'

/** Returns an export from an older version, in which settings were numbers and not groups. */
function ofOlderVersion(): TestExport {
  const given = harbour(smallPng)
  const { realm } = given
  const { zerver_namedusergroup: named = [], zerver_submessage: _, ...tables } = realm
  const [organization = {}] = realm.zerver_realm
  delete organization['can_create_groups']
  delete organization['can_create_public_channel_group']
  Object.assign(organization, {
    create_public_stream_policy: 2,
    wildcard_mention_policy: 6,
    private_message_policy: 2,
    allow_edit_history: false,
    notifications_stream: exportIds.docks,
  })
  Object.assign(realm['zerver_stream']?.[0] ?? {}, { stream_post_policy: 4 })
  const groups = named.map(({ usergroup_ptr, name, ...row }) => ({ ...row, id: usergroup_ptr, name: `@${name}` }))
  for (const group of groups.slice(8)) group.name = group.name.slice(1)
  given.realm = { ...tables, zerver_realm: realm.zerver_realm, zerver_usergroup: [...groups, { id: 230 }] }
  return given
}

/**
 * Returns an export like those of converters. It has no groups and no system bots. The columns of its records have long
 * names, such as `message_id`, and its messages are not sorted.
 */
function ofConverter(): TestExport {
  const given = harbour(smallPng)
  const { realm, messageFiles } = given
  const dropped = [
    'zerver_usergroup',
    'zerver_namedusergroup',
    'zerver_usergroupmembership',
    'zerver_groupgroupmembership',
  ]
  for (const table of [...dropped, 'zerver_userprofile_crossrealm', 'zerver_submessage']) delete realm[table]
  for (const file of messageFiles) {
    file['zerver_message'] = (file['zerver_message'] ?? []).filter(({ sender }) => sender !== 3).reverse()
    file['zerver_usermessage'] = (file['zerver_usermessage'] ?? [])
      .filter(({ message, user_profile }) => message !== 7008 && (message !== 7005 || user_profile !== exportIds.mara))
      .map(({ user_profile, message, ...row }) => ({ ...row, user_profile_id: user_profile, message_id: message }))
  }
  Object.assign(realm, { sort_by_date: true })
  Object.assign(realm['zerver_userprofile']?.[2] ?? {}, { full_name: 'Ida "Wave" Lund', delivery_email: 'no address' })
  return given
}

test('an export of an older version is imported with the groups that its policies correspond to', async () => {
  const chat = await startChat()

  const { person, skipped } = await importInto(chat, await writeExport(ofOlderVersion()))
  const mara = await person('mara')
  const state = await mara.succeed('POST /register', {
    fetch_event_types: ['realm', 'realm_user_groups', 'subscription'],
  })

  const groups: { id: number; name: string; members: number[] }[] = state['realm_user_groups']
  const idOf = (name: string) => groups.find((group) => group.name === name)?.id
  const tom = await person('tom')
  assert.equal(state['realm_can_create_public_channel_group'], idOf('role:administrators'))
  assert.equal(state['realm_can_mention_many_users_group'], idOf('role:nobody'))
  assert.equal(state['realm_direct_message_permission_group'], idOf('role:nobody'))
  assert.equal(state['realm_message_edit_history_visibility_policy'], 'none')
  const docks = state['subscriptions'].find((one: { name: string }) => one.name === 'docks')
  assert.equal(state['realm_new_stream_announcements_stream_id'], docks.stream_id)
  assert.equal(docks.can_send_message_group, idOf('role:moderators'))
  assert.deepEqual(groups.find((group) => group.name === 'pilots')?.members, [tom.id])
  assert.partialDeepStrictEqual(
    skipped.find(({ what }) => what.startsWith('votes')),
    { count: 1 },
  )
})

test('a poll without exported votes restarts', async () => {
  const chat = await startChat()

  const { person } = await importInto(chat, await writeExport(ofOlderVersion()))
  const poll = (await messagesOf(await person('tom'))).at(-1)

  assert.deepEqual(JSON.parse(poll?.['submessages'][0].content), {
    widget_type: 'poll',
    extra_data: { question: 'Fish?', options: ['yes'] },
  })
})

test('people who did not agree to be exported are imported deactivated, with the messages sent to them', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  const { realm, attachments, files } = given
  const [ida] = realm['zerver_userprofile']?.splice(2, 1) ?? []
  realm['zerver_userprofile_mirrordummy'] = [{ ...ida, is_mirror_dummy: true, recipient: 777 }]
  for (const table of ['zerver_recipient', 'zerver_userstatus'])
    realm[table] = (realm[table] ?? []).filter((row) => row['type_id'] !== exportIds.ida || row['type'] !== 1)
  given.messageFiles[1]?.['zerver_message']?.push(message(7100, exportIds.mara, 777, '', 'To Ida'))
  given.messageFiles[1]?.['zerver_usermessage']?.push({ user_profile: exportIds.mara, message: 7100, flags_mask: 1 })
  Object.assign(attachments[1] ?? {}, { owner: 3 })
  realm['zerver_realmdomain']?.push({ domain: 'localhost:9991', allow_subdomains: false })
  files['emoji/records.json'] = JSON.stringify([
    { path: '9/emoji/images/161.png', file_name: '161.png' },
    { path: '9/emoji/images/61.png.original' },
  ])
  files['emoji/9/emoji/images/61.png.original'] = smallPng

  const { person, imported, skipped } = await importInto(chat, await writeExport(given))
  const mara = await person('mara')
  const last = (await messagesOf(mara)).at(-1)
  const { members } = await mara.succeed('GET /users')

  assert.equal(last?.['content'], 'To Ida')
  assert.equal(members.find((one: { full_name: string }) => one.full_name === 'Ida Lund').is_active, false)
  assert.deepEqual([imported['pictures'], imported['files']], [3, 2])
  assert.partialDeepStrictEqual(
    skipped.find(({ what }) => what === 'domains'),
    { count: 1 },
  )
})

test('messages that an export has in another order are imported in the order of their times', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  const { mara, docks } = exportIds
  const [late, early] = [1_600_000_000, 1_500_000_000]
  given.messageFiles[1]?.['zerver_message']?.push(
    message(7101, mara, 400 + docks, 'tides', 'late', { date_sent: late }),
    message(7102, mara, 400 + docks, 'tides', 'early', { date_sent: early }),
  )

  const { person } = await importInto(chat, await writeExport(given))
  const reader = await person('mara')
  const contents = async (narrow: unknown[]) => (await messagesOf(reader, narrow)).map(({ content }) => content)

  const inTopic = [
    ['channel', 'docks'],
    ['topic', 'tides'],
  ]
  assert.deepEqual(await contents(inTopic), ['early', 'late'])
  assert.deepEqual(await contents([...inTopic, ['after', early + 1]]), ['late'])
  assert.deepEqual(await contents([...inTopic, ['before', late]]), ['early'])
})

test('an owner can be named for an export of a converter that has none', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  Object.assign(given.realm['zerver_userprofile']?.[0] ?? {}, { role: 400 })
  Object.assign(given.realm['zerver_realmemoji']?.[0] ?? {}, { name: 'Möwe' })
  const folder = await writeExport(given)

  await assert.rejects(importInto(chat, folder, 'harbour', 'who@harbour.example'), {
    message: 'No account in the export has the address who@harbour.example.',
  })
  const { person, skipped } = await importInto(chat, folder, 'harbour', 'Tom@harbour.example')
  const { members } = await (await person('tom')).succeed('GET /users')

  const owners = members.filter(({ role }: { role: number }) => role === 100)
  assert.deepEqual(
    owners.map((one: { full_name: string }) => one.full_name),
    ['Tom Berg'],
  )
  assert.partialDeepStrictEqual(
    skipped.find(({ what }) => what === 'custom emoji'),
    { count: 1 },
  )
})

test('an export of a converter is imported in the order of time, with valid names and addresses', async () => {
  const chat = await startChat()

  const { person, skipped } = await importInto(chat, await writeExport(ofConverter()))
  const mara = await person('mara')
  const messages = await messagesOf(mara)
  const { members } = await mara.succeed('GET /users')

  const times = messages.map(({ timestamp }) => timestamp)
  assert.equal(messages.length, 8)
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  assert.equal(members.filter((one: { full_name: string }) => one.full_name === 'Ida Wave Lund').length, 1)
  for (const what of ['user names', 'account addresses'])
    assert.partialDeepStrictEqual(
      skipped.find((item) => item.what === what),
      { count: 1 },
    )
})
