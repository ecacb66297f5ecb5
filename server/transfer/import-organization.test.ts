import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchPage } from '../../test/files.ts'
import { startChat } from '../../test/harness.ts'
import { harbour, LONG_AGO, writeExport } from '../../test/importing/export-builder.ts'
import { importInto, messagesOf } from '../../test/importing/import-into.ts'
import { smallPng } from '../../test/pictures.ts'

const imported = async () => {
  const chat = await startChat()
  return { chat, ...(await importInto(chat, await writeExport(harbour(smallPng)))) }
}

const contentsOf = (messages: readonly Record<string, unknown>[]) => messages.map(({ content }) => content)

test('everyone reads what they could read before, in the original order, and nothing else', async () => {
  const { person } = await imported()
  const [mara, tom, ida, gil] = [await person('mara'), await person('tom'), await person('ida'), await person('gil')]

  const [ofMara, ofTom] = [await messagesOf(mara), await messagesOf(tom)]
  const [ofIda, ofGil] = [contentsOf(await messagesOf(ida)), contentsOf(await messagesOf(gil))]

  const [hello, noon, before, ...rest] = ofMara
  assert.deepEqual(
    contentsOf(rest),
    ['With Tom', 'For the three of us', 'Gone fishing', '/poll Fish?\nyes'].toSpliced(1, 0, 'Between us'),
  )
  assert.match(String(before?.['content']), /^Before Tom: /)
  assert.deepEqual(contentsOf(ofTom).slice(1), [
    'High at **noon**',
    'With Tom',
    'Between us',
    'For the three of us',
    'Gone fishing',
    'You were subscribed.',
    '/poll Fish?\nyes',
  ])
  assert.deepEqual(ofIda, [hello?.['content'], 'For the three of us'])
  assert.deepEqual(ofGil, [hello?.['content'], 'High at **noon**'])
  const ids = ofTom.map(({ id }) => id)
  assert.deepEqual(
    ids,
    ids.toSorted((one, other) => one - other),
  )
  assert.equal(hello?.['timestamp'], LONG_AGO + 7001)
  assert.equal(noon?.['subject'], 'tide')
})

test('flags, unread messages and reactions are imported with the messages', async () => {
  const { person } = await imported()
  const [mara, tom, gil] = [await person('mara'), await person('tom'), await person('gil')]

  const { unread_msgs: unread } = await tom.succeed('POST /register', {
    fetch_event_types: ['message', 'update_message_flags'],
  })
  const { unread_msgs: ofGil } = await gil.succeed('POST /register', {
    fetch_event_types: ['message', 'update_message_flags'],
  })
  const [hello] = await messagesOf(tom)

  assert.equal(unread.count, 2)
  assert.deepEqual(
    unread.pms.map((one: { other_user_id: number }) => one.other_user_id),
    [mara.id],
  )
  assert.equal(unread.streams[0].topic, 'plans')
  assert.equal(ofGil.streams[0].unread_message_ids.length, 2)
  assert.deepEqual(hello?.['flags'], ['read', 'starred', 'mentioned'])
  const reactions = hello?.['reactions'].map((one: Record<string, unknown>) => [
    one['emoji_name'],
    one['reaction_type'],
  ])
  assert.deepEqual(reactions, [
    ['gull', 'realm_emoji'],
    ['+1', 'unicode_emoji'],
  ])
})

test('messages are rendered again, and refer to the imported people, messages, channels and files', async () => {
  const { chat, person, realm } = await imported()
  const [mara, tom, gil] = [await person('mara'), await person('tom'), await person('gil')]

  const [hello, noon] = await messagesOf(tom)
  const { message } = await tom.succeed(`GET /messages/${hello?.['id']}`, { apply_markdown: true })

  const docks = hello?.['stream_id']
  assert.match(hello?.['content'], new RegExp(`@\\*\\*Tom Berg\\|${tom.id}\\*\\*`))
  assert.match(hello?.['content'], new RegExp(`#\\*\\*docks>tide@${noon?.['id']}\\*\\*`))
  assert.match(hello?.['content'], new RegExp(`/#narrow/channel/${docks}-docks/topic/tide/near/${noon?.['id']}`))
  assert.match(message.content, new RegExp(`data-user-id="${tom.id}">@Tom Berg<`))
  assert.match(message.content, /href="https:\/\/tickets\.example\/42"/)
  assert.doesNotMatch(message.content, /another server/)
  const [url = ''] = /\/user_uploads\/[^)]+/.exec(hello?.['content']) ?? []
  assert.match(url, new RegExp(`^/user_uploads/${realm.id}/[0-9a-f]{2}/[A-Za-z0-9_-]{24}/chart\\.txt$`))
  assert.equal((await fetchPage(chat, url, tom)).body, 'deep waters')
  assert.equal((await fetchPage(chat, url, gil)).body, 'deep waters')

  const [, , before] = await messagesOf(mara)
  const [secret = ''] = /\/user_uploads\/\S+/.exec(before?.['content']) ?? []
  assert.equal((await fetchPage(chat, secret, mara)).body, 'hidden')
  for (const other of [tom, gil, null]) assert.notEqual((await fetchPage(chat, secret, other)).body, 'hidden')
  assert.equal((await fetchPage(chat, secret, tom)).status, 404)
})

test('bots with higher roles than their owners get the roles of their owners', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  const tide = given.realm['zerver_userprofile']?.find(({ is_bot }) => is_bot)
  Object.assign(tide ?? {}, { role: 200 })

  const { person, skipped } = await importInto(chat, await writeExport(given))

  const { members } = await (await person('mara')).succeed('GET /users')
  const bot = members.find(({ is_bot }: { is_bot: boolean }) => is_bot)
  assert.partialDeepStrictEqual(bot, { role: 400, is_admin: false })
  assert.equal(skipped.find(({ what }) => what === 'bot roles')?.count, 1)
})

test('people are imported with their roles, addresses, settings and avatars, bots with their owners', async () => {
  const { chat, person } = await imported()
  const [mara, tom] = [await person('mara'), await person('tom')]

  const { members } = await mara.succeed('GET /users', { include_custom_profile_fields: true })
  const of = (name: string) => members.find((one: { full_name: string }) => one.full_name.startsWith(name))
  const { user_settings: settings } = await tom.succeed('POST /register', { fetch_event_types: ['user_settings'] })

  assert.partialDeepStrictEqual(of('Mara'), { role: 100, is_active: true, delivery_email: 'mara@harbour.example' })
  assert.partialDeepStrictEqual(of('Tom'), { role: 400, timezone: 'Europe/Oslo', is_active: true })
  assert.partialDeepStrictEqual(of('Pete'), { is_active: false })
  assert.partialDeepStrictEqual(of('Gil'), { role: 600 })
  assert.partialDeepStrictEqual(of('Tide'), { is_bot: true, bot_owner_id: tom.id })
  assert.equal(settings.twenty_four_hour_time, true)
  assert.deepEqual(
    Object.values(of('Tom').profile_data).map((one) => (one as { value: string }).value),
    ['Osprey', `[${mara.id}]`],
  )
  const avatar = await fetchPage(chat, of('Mara').avatar_url, null)
  assert.deepEqual([avatar.status, avatar.headers['content-type']], [200, 'image/png'])
})

test('channels are imported with their policies, and subscriptions with their settings', async () => {
  const { person } = await imported()
  const [mara, tom, ida] = [await person('mara'), await person('tom'), await person('ida')]

  const { subscriptions } = await tom.succeed('GET /users/me/subscriptions')
  const { subscriptions: ofIda } = await ida.succeed('GET /users/me/subscriptions')
  const { user_groups: groups } = await mara.succeed('GET /user_groups')
  const { streams } = await mara.succeed('GET /streams', { exclude_archived: false, include_all: true })

  const pilots = groups.find((one: { name: string }) => one.name === 'pilots')
  const afloat = groups.find((one: { name: string }) => one.name === 'everybody afloat')
  const [docks, crew] = ['docks', 'crew'].map((name) =>
    subscriptions.find((one: { name: string }) => one.name === name),
  )
  assert.partialDeepStrictEqual(docks, {
    color: '#ff0000',
    pin_to_top: true,
    email_notifications: true,
    invite_only: false,
    rendered_description: '<p>Where we <strong>land</strong></p>',
    creator_id: mara.id,
    date_created: LONG_AGO,
  })
  assert.partialDeepStrictEqual(crew, {
    invite_only: true,
    history_public_to_subscribers: false,
    can_send_message_group: pilots.id,
  })
  assert.deepEqual(ofIda, [])
  assert.deepEqual([pilots.members, afloat.direct_subgroup_ids], [[tom.id], [pilots.id]])
  const pier = streams.find((one: { name: string }) => one.name === 'pier')
  assert.equal(pier.is_archived, true)
})

test('the organization is imported with its settings, and people with their personal data', async () => {
  const { person, realm } = await imported()
  const tom = await person('tom')

  const state = await tom.succeed('POST /register', {})

  assert.deepEqual([realm.name, realm.subdomain], ['Harbour', 'harbour'])
  assert.equal(state['realm_description'], 'Ships and tides')
  assert.equal(state['realm_message_content_edit_limit_seconds'], null)
  assert.equal(state['realm_move_messages_between_streams_limit_seconds'], null)
  assert.deepEqual(state['realm_can_create_groups'], { direct_members: [tom.id], direct_subgroups: [] })
  assert.deepEqual(state['realm_domains'], [{ domain: 'harbour.example', allow_subdomains: true }])
  assert.deepEqual(state['alert_words'], ['storm'])
  assert.partialDeepStrictEqual(state['user_status'][tom.id], { status_text: 'at sea', emoji_name: 'gull' })
  assert.equal(state['muted_users'].length, 1)
  assert.partialDeepStrictEqual(state['user_topics'], [{ topic_name: 'tide', visibility_policy: 3 }])
  assert.equal(state['realm_default_streams'].length, 1)
})

test('edits, moves, polls and searches work on imported messages', async () => {
  const { person } = await imported()
  const [mara, tom] = [await person('mara'), await person('tom')]
  const [, noon] = await messagesOf(tom)
  const poll = (await messagesOf(tom)).at(-1)

  const { message_history: history } = await tom.succeed(`GET /messages/${noon?.['id']}/history`)
  const found = await messagesOf(tom, [{ operator: 'search', operand: 'gone' }])
  await tom.succeed('POST /messages', { type: 'direct', to: [mara.id], content: 'and now here' })
  const last = (await messagesOf(tom)).at(-1)

  assert.deepEqual(
    history.map((one: Record<string, unknown>) => [one['user_id'], one['topic'], one['content']]),
    [
      [tom.id, 'water', 'High at *ten*'],
      [tom.id, 'water', 'High at **noon**'],
      [mara.id, 'tide', 'High at **noon**'],
    ],
  )
  assert.equal(history[1].prev_rendered_content, '<p>High at <em>ten</em></p>')
  assert.deepEqual(poll?.['submessages'].map((one: { sender_id: number }) => one.sender_id).slice(1), [tom.id])
  assert.deepEqual(contentsOf(found), ['Gone fishing'])
  assert.equal(last?.['id'], poll?.['id'] + 1)
})

test('all skipped items are reported with a reason', async () => {
  const { skipped, imported: came } = await imported()

  const events = skipped.map(({ what, count }) => [what, count])

  assert.deepEqual(events, [
    ['passwords', 4],
    ['zerver_scheduledmessage', 2],
  ])
  assert.partialDeepStrictEqual(came, {
    people: 5,
    bots: 1,
    channels: 3,
    messages: 9,
    reactions: 2,
    files: 2,
    pictures: 3,
  })
})

test('an organization without a name is named after its subdomain', async () => {
  for (const [old, subdomain, name] of [
    ['harbour', 'port', 'harbour'],
    ['', 'port', 'port'],
  ] as const) {
    const chat = await startChat()
    const given = harbour(smallPng)
    Object.assign(given.realm['zerver_realm']?.[0] ?? {}, { name: ' ', string_id: old })

    const { realm, skipped } = await importInto(chat, await writeExport(given), subdomain)

    assert.equal(realm.name, name)
    const why = `it was empty: the organization is now called ${name}`
    assert.deepEqual(skipped.at(0), { what: 'organization name', count: 1, why })
  }
})

test('line breaks and other control characters in the name of an organization become spaces', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  Object.assign(given.realm['zerver_realm']?.[0] ?? {}, { name: ' Old\r\nHarbour\u001b ' })

  const { realm, skipped } = await importInto(chat, await writeExport(given), 'port')

  assert.equal(realm.name, 'Old Harbour')
  const why = 'line breaks and similar characters became spaces'
  assert.deepEqual(skipped.at(0), { what: 'organization name', count: 1, why })
})

test('groups keep their creation dates', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  for (const row of given.realm['zerver_namedusergroup'] ?? []) Object.assign(row, { date_created: LONG_AGO })

  const { person } = await importInto(chat, await writeExport(given))

  const { user_groups } = await (await person('mara')).succeed('GET /user_groups')
  const dates = user_groups.map(({ is_system_group, date_created }: Record<string, unknown>) =>
    is_system_group ? 'system' : date_created,
  )
  assert.deepEqual(new Set(dates), new Set(['system', LONG_AGO]))
})

test('a personal setting that Parley does not accept is reported', async () => {
  const chat = await startChat()
  const given = harbour(smallPng)
  Object.assign(given.realm['zerver_userprofile']?.[1] ?? {}, { web_font_size_px: 99 })

  const { skipped } = await importInto(chat, await writeExport(given))

  const [item] = skipped.filter(({ what }) => what === 'personal settings')
  const why = 'values of web_font_size_px that Parley does not accept: the default applies'
  assert.deepEqual(item, { what: 'personal settings', count: 1, why })
})
