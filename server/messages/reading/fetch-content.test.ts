import assert from 'node:assert/strict'
import test from 'node:test'
import { saveUserFields } from '#people/user-queries.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { BotType, Role } from '#rules/role.ts'
import { startChat } from '../../../test/harness.ts'
import { fetchMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

test('a channel message has exactly the documented fields', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])

  await chat.clock.advance(0.75)
  const id = await sendToChannel(ada, design, '*hi*', 'tea')

  const answer = await ben.succeed(`GET /messages/${id}`)
  assert.equal(answer['raw_content'], '*hi*')
  assert.deepEqual(answer['message'], {
    id,
    type: 'stream',
    stream_id: design.id,
    subject: 'tea',
    topic_links: [],
    content: '<p><em>hi</em></p>',
    content_type: 'text/html',
    timestamp: Math.floor(chat.clock.now()),
    client: 'lightMyRequest',
    is_me_message: false,
    avatar_url: null,
    sender_id: ada.id,
    sender_email: 'ada@example.com',
    sender_full_name: 'Ada',
    sender_realm_str: '',
    recipient_id: design.recipientId,
    display_recipient: 'design',
    flags: [],
    reactions: [],
    submessages: [],
  })
})

test('a direct message has no channel and no topic, not even the name of the empty topic', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const id = await sendDirect(ada, [ben], 'see #42 at example.com')

  for (const allow_empty_topic_name of [undefined, true, false]) {
    const message = await fetchMessage(ben, id, { allow_empty_topic_name })
    assert(!('stream_id' in message))
    assert.partialDeepStrictEqual(message, { type: 'private', subject: '', topic_links: [] })
  }
})

test('the content is HTML by default and Markdown on request, and the raw content is always returned', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada], '**bold**')
  const fetch = (params: object) => ada.succeed(`GET /messages/${id}`, { ...params })

  const [usual, html, raw] = [
    await fetch({}),
    await fetch({ apply_markdown: true }),
    await fetch({ apply_markdown: false }),
  ]

  assert.deepEqual(usual, html)
  assert.partialDeepStrictEqual(usual['message'], {
    content: '<p><strong>bold</strong></p>',
    content_type: 'text/html',
  })
  assert.partialDeepStrictEqual(raw['message'], { content: '**bold**', content_type: 'text/x-markdown' })
  assert.equal(usual['raw_content'], '**bold**')
  assert.equal(raw['raw_content'], '**bold**')
})

test('invalid parameters are reported before the message is looked up', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const errorOf = async (params: Record<string, string>) => (await ada.call('GET /messages/404', params)).msg

  assert.equal(await errorOf({ apply_markdown: 'yes' }), 'apply_markdown is not valid JSON')
  assert.equal(await errorOf({ apply_markdown: '1' }), 'apply_markdown is not a boolean')
  assert.equal(await errorOf({ allow_empty_topic_name: '"true"' }), 'allow_empty_topic_name is not a boolean')
  assert.equal(await errorOf({ apply_markdown: '1', allow_empty_topic_name: 'x' }), 'apply_markdown is not a boolean')
})

test('path parameters sent in the query, and client_gravatar, are reported as ignored', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada])

  const answer = await ada.succeed(`GET /messages/${id}`, { message_id: id, client_gravatar: false, client: 'x' })

  assert.deepEqual(answer['ignored_parameters_unsupported'], ['client_gravatar', 'message_id'])
})

test('the empty topic is "general chat" for clients that do not declare support for it', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])

  const id = await sendToChannel(ada, design, 'hi', '')

  assert.equal((await fetchMessage(ada, id)).subject, 'general chat')
  assert.equal((await fetchMessage(ada, id, { allow_empty_topic_name: true })).subject, '')
})

test('"/me " at the start makes a message in the third person', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const cases = { '/me waves': true, '/mewaves': false, ' /me waves': false, '/me': false, '/ME waves': false }

  for (const [content, expected] of Object.entries(cases))
    assert.equal((await fetchMessage(ada, await sendDirect(ada, [ada], content))).is_me_message, expected, content)
})

test('the client is the requested name, truncated to 30 characters, or else the product of the User-Agent', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const send = async (client: string | undefined, agent: string) => {
    const params = { type: 'direct', to: [ada.id], content: 'hi', client }
    return fetchMessage(ada, (await ada.call('POST /messages', params, { 'user-agent': agent }))['id'])
  }

  assert.equal((await send('x'.repeat(40), 'curl/8.1')).client, 'x'.repeat(30))
  assert.equal((await send(undefined, 'ZulipMobile/26 (Android)')).client, 'ZulipMobile')
})

test('the avatar is null while the client can compute it, and a new path after an upload', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const hidden = await chat.user('hidden', { settings: { email_address_visibility: AddressVisibility.nobody } })
  const design = await chat.channel('design', [ada, hidden])
  const id = await sendToChannel(ada, design)
  const upload = (avatarFile: string) =>
    chat.app.services.transaction((tx) => saveUserFields(tx, ada.id, { avatarFile, avatarVersion: 2 }))

  assert.equal((await fetchMessage(ada, id)).avatar_url, null)
  await upload('1/aa.png')
  assert.equal((await fetchMessage(ada, id)).avatar_url, '/user_avatars/1/aa.png')
  await upload('1/bb.png')
  assert.equal((await fetchMessage(ada, id)).avatar_url, '/user_avatars/1/bb.png')

  const { avatar_url, sender_email } = await fetchMessage(ada, await sendToChannel(hidden, design))
  assert.match(avatar_url, /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{32}\?d=identicon&version=1$/)
  assert.equal(sender_email, `user${hidden.id}@parley.test`)
})

test('two participants are sorted by address, and groups by id', async () => {
  const chat = await startChat()
  const [zoe, amy] = [await chat.user('zoe'), await chat.user('amy')]
  const bea = await chat.user('bea')
  const person = (id: number, name: string, full_name: string) => {
    return { id, email: `${name}@example.com`, full_name, is_mirror_dummy: false }
  }
  const [inZoe, inAmy, inBea] = [
    person(zoe.id, 'zoe', 'Zoe'),
    person(amy.id, 'amy', 'Amy'),
    person(bea.id, 'bea', 'Bea'),
  ]

  assert.deepEqual((await fetchMessage(zoe, await sendDirect(zoe, [amy]))).display_recipient, [inAmy, inZoe])
  assert.deepEqual((await fetchMessage(amy, await sendDirect(bea, [amy, zoe]))).display_recipient, [
    inZoe,
    inAmy,
    inBea,
  ])
  assert.deepEqual((await fetchMessage(amy, await sendDirect(amy, [amy]))).display_recipient, [inAmy])
})

test('both directions of a conversation have one recipient id for each user: that of the other user', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [there, back] = [await sendDirect(ada, [ben]), await sendDirect(ben, [ada])]
  const recipient = async (person: typeof ada, id: number) => (await fetchMessage(person, id)).recipient_id

  assert.equal(await recipient(ada, there), await recipient(ada, back))
  assert.equal(await recipient(ben, there), await recipient(ben, back))
  assert.notEqual(await recipient(ada, there), await recipient(ben, there))
  assert.equal(await recipient(ada, await sendDirect(ada, [ada])), await recipient(ben, there))
})

test('a group conversation has the same recipient id for all participants', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const ids = [await sendDirect(ada, [ben, cleo]), await sendDirect(cleo, [ben, ada, cleo])]

  const recipients = new Set<number>()
  for (const person of [ada, ben, cleo])
    for (const id of ids) recipients.add((await fetchMessage(person, id)).recipient_id)

  assert.equal(recipients.size, 1)
})

test('linkifiers of the organization and plain URLs in a topic become links, in the order in which they occur', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  await chat.app.services.transaction((tx) =>
    tx
      .insertInto('linkifiers')
      .values({
        realmId: chat.realm.id,
        pattern: '#(?P<id>[0-9]+)',
        urlTemplate: 'https://bugs.test/{id}',
        position: 1,
      })
      .execute(),
  )

  const topic = 'see example.com for #7'
  const id = await sendToChannel(ada, design, 'hi', topic)

  assert.deepEqual((await fetchMessage(ada, id)).topic_links, [
    { url: 'https://example.com', text: 'example.com' },
    { url: 'https://bugs.test/7', text: '#7' },
  ])

  const realm = await chat.organization('other')
  const eve = await chat.user('eve', { realm })
  const elsewhere = await sendToChannel(eve, await chat.channel('design', [eve], { realm }), 'hi', topic)
  assert.deepEqual((await fetchMessage(eve, elsewhere)).topic_links, [
    { url: 'https://example.com', text: 'example.com' },
  ])
})

test('fetching an unread message leaves it unread', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben]))

  assert.deepEqual((await fetchMessage(ben, id)).flags, [])
  assert.deepEqual((await fetchMessage(ben, id)).flags, [])
})

test('a message that the user never received has the flags "read" and "historical"', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]

  const id = await sendToChannel(ada, await chat.channel('design', [ada]))

  assert.deepEqual((await fetchMessage(ben, id)).flags, ['read', 'historical'])
})

test('a message that was never edited has no history and no edit times', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')

  const message = await fetchMessage(ada, await sendDirect(ada, [ada]))

  for (const key of ['edit_history', 'last_edit_timestamp', 'last_moved_timestamp']) assert(!(key in message), key)
})

test('a guest who may not see the sender gets an unknown user, but a guest who shares a channel with the sender does not', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const gus = await chat.user('gus', { role: Role.guest })
  const design = await chat.channel('design', [ben, gus])

  const [fromAda, fromBen] = [await sendToChannel(ada, design), await sendToChannel(ben, design)]

  assert.partialDeepStrictEqual(await fetchMessage(gus, fromAda), {
    sender_id: ada.id,
    sender_full_name: 'Unknown user',
    sender_email: `user${ada.id}@parley.test`,
    avatar_url: '/static/unknown-user-avatar.png',
  })
  assert.equal((await fetchMessage(gus, fromBen)).sender_full_name, 'Ben')
  assert.equal((await fetchMessage(ben, fromAda)).sender_full_name, 'Ada')
})

test('all guests can see bots as senders and in reactions', async () => {
  const chat = await startChat()
  await chat.change({ can_access_all_users_group: 'role:members' })
  const [ada, gus] = [await chat.user('ada'), await chat.user('gus', { role: Role.guest })]
  const robot = await chat.user('robot', { botType: BotType.generic, owner: ada })
  const design = await chat.channel('design', [gus])

  const id = await sendToChannel(robot, design)
  await robot.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })

  const narrow = [{ operator: 'sender', operand: robot.id }]
  const listed = await gus.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow })
  const events = await chat.eventsOf(gus)
  assert.deepEqual(
    [await fetchMessage(gus, id), ...listed['messages'], ...events.flatMap((event) => event['message'] ?? [])].map(
      (message) => [message.id, message.sender_full_name, message.sender_email],
    ),
    Array.from({ length: 3 }, () => [id, 'Robot', robot.email]),
  )
  assert.partialDeepStrictEqual(events.at(-1), { type: 'reaction', user: { full_name: 'Robot', email: robot.email } })
})

test('senders have the subdomain of their organization, also system bots', async () => {
  const chat = await startChat()
  const realm = await chat.organization('other')
  const [eve, ben] = [await chat.user('eve', { realm, role: Role.owner }), await chat.user('ben', { realm })]
  const design = await chat.channel('design', [eve, ben], { realm })
  await eve.succeed('DELETE /users/me/subscriptions', { subscriptions: ['design'], principals: [ben.id] })

  const { messages } = await ben.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })

  assert.equal((await fetchMessage(eve, await sendDirect(eve, [eve]))).sender_realm_str, 'other')
  assert.equal(messages[0].sender_realm_str, SYSTEM_SUBDOMAIN)

  const id = await sendToChannel(eve, design, 'hi', 'tea')
  await eve.succeed(`PATCH /messages/${id}`, { topic: '✔ tea', propagate_mode: 'change_all' })
  const narrow = [['channel', 'design']]
  const inChannel = await eve.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0, narrow })
  assert.equal((await fetchMessage(eve, inChannel['messages'][0].id)).sender_realm_str, SYSTEM_SUBDOMAIN)
})
