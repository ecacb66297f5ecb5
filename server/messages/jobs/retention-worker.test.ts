import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { fetchPage, upload } from '../../../test/files.ts'
import { type Chat, type Person, START, startChat } from '../../../test/harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../../../test/messages.ts'

const [DAY, HOUR] = [86_400, 3600]

/** Seconds until the first run. The worker runs every hour after that. */
const FIRST_RUN = 600

async function startTalk() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  return { chat, ada, ben, cleo }
}

/** Returns the content of all messages, ordered by message id. */
async function contents({ app }: Chat): Promise<string[]> {
  const rows = await app.services.db.selectFrom('messages').select('content').orderBy('id').execute()
  return rows.map((row) => row.content)
}

const deletions = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'delete_message').map(({ type: _, ...event }) => event)

test('without a retention setting no message is deleted', async () => {
  const { chat, ada, ben } = await startTalk()
  const design = await chat.channel('design', [ada])
  await sendToChannel(ada, design, 'in a channel')
  await sendDirect(ada, [ben], 'to Ben')

  await chat.clock.advance(20 * DAY)

  assert.deepEqual(await contents(chat), ['in a channel', 'to Ben'])
})

test('a message is deleted by the first run at which it is older than the retention', async () => {
  const { chat, ada } = await startTalk()
  const design = await chat.channel('design', [ada], { messageRetentionDays: 2 })
  await chat.clock.advance(FIRST_RUN - 1)
  await sendToChannel(ada, design, 'a second before')
  await chat.clock.advance(1)
  await sendToChannel(ada, design, 'at the run')

  await chat.clock.advance(2 * DAY - 1)
  const before = await contents(chat)
  await chat.clock.advance(1)
  const after = await contents(chat)
  await chat.clock.advance(HOUR)

  assert.deepEqual(before, ['a second before', 'at the run'])
  assert.deepEqual(after, ['at the run'])
  assert.deepEqual(await contents(chat), [])
})

test('the retention of a channel overrides that of the organization, which applies to direct messages', async () => {
  const { chat, ada, ben } = await startTalk()
  await chat.change({ message_retention_days: 3 })
  for (const [name, messageRetentionDays] of [
    ['one day', 1],
    ['default', null],
    ['one week', 7],
    ['unlimited', -1],
  ] as const)
    await sendToChannel(ada, await chat.channel(name, [ada], { messageRetentionDays }), name)
  await sendDirect(ada, [ben], 'to Ben')
  await sendDirect(ada, [ada], 'to self')
  const elsewhere = await chat.user('dan', { realm: await chat.organization('elsewhere') })
  await sendDirect(elsewhere, [elsewhere], 'elsewhere')

  const remaining: string[][] = []
  for (const days of [2, 2, 4]) {
    await chat.clock.advance(days * DAY)
    remaining.push(await contents(chat))
  }

  assert.deepEqual(remaining, [
    ['default', 'one week', 'unlimited', 'to Ben', 'to self', 'elsewhere'],
    ['one week', 'unlimited', 'elsewhere'],
    ['unlimited', 'elsewhere'],
  ])
})

test('messages of archived channels and deactivated organizations are deleted too', async () => {
  const { chat, ada } = await startTalk()
  const design = await chat.channel('design', [ada], { messageRetentionDays: 1 })
  await sendToChannel(ada, design)
  await ada.succeed(`DELETE /streams/${design.id}`)
  const realm = await chat.organization('elsewhere')
  const dan = await chat.user('dan', { realm, role: Role.owner })
  await dan.succeed('PATCH /realm', { message_retention_days: 1 })
  await sendDirect(dan, [dan])
  await dan.succeed('POST /realm/deactivate')

  await chat.clock.advance(3 * DAY)

  assert.deepEqual(await contents(chat), [])
})

for (const [owner, prepare, path, unlimited] of [
  ['a channel', (chat: Chat, ada: Person) => chat.channel('design', [ada]), 'PATCH /streams/', '"unlimited"'],
  [
    'an organization',
    async (chat: Chat, ada: Person) => {
      await sendToChannel(ada, await chat.channel('design', [ada]), 'with the default retention')
      return { id: null }
    },
    'PATCH /realm',
    '"unlimited"',
  ],
] as const) {
  const route = ({ id }: { id: number | null }) => (id === null ? path : `${path}${id}`)

  test(`a retention setting of ${owner} can be reverted within a day`, async () => {
    const { chat, ada } = await startTalk()
    const target = await prepare(chat, ada)
    await sendDirect(ada, [ada], 'old')
    if (target.id !== null) await sendToChannel(ada, { name: 'design' }, 'old, too')
    const sent = await contents(chat)
    await chat.clock.advance(20 * DAY)
    await ada.succeed(route(target), { message_retention_days: 10 })

    await chat.clock.advance(DAY - 1)
    await ada.succeed(route(target), { message_retention_days: unlimited })
    await chat.clock.advance(20 * DAY)

    assert.deepEqual((await contents(chat)).slice(0, sent.length), sent)
  })

  test(`a retention setting of ${owner} takes effect a day later, even if other settings change`, async () => {
    const { chat, ada } = await startTalk()
    const target = await prepare(chat, ada)
    if (target.id !== null) await sendToChannel(ada, { name: 'design' }, 'old')
    await chat.clock.advance(20 * DAY)
    await ada.succeed(route(target), { message_retention_days: 10 })

    await chat.clock.advance(DAY - 1)
    const before = await contents(chat)
    await ada.succeed(route(target), { message_retention_days: 10, description: 'of tea' })
    await chat.clock.advance(1 + HOUR)

    assert.match(before[0] ?? '', /^old|^with/)
    assert.doesNotMatch((await contents(chat))[0] ?? '', /^old|^with/)
  })
}

test('a channel that returns to the default retention does so after a day', async () => {
  const { chat, ada } = await startTalk()
  await chat.change({ message_retention_days: 1 })
  const design = await chat.channel('design', [ada], { messageRetentionDays: -1 })
  await sendToChannel(ada, design, 'old')
  await chat.clock.advance(10 * DAY)
  await ada.succeed(`PATCH /streams/${design.id}`, { message_retention_days: '"realm_default"' })

  await chat.clock.advance(DAY - 1)
  const before = await contents(chat)
  await chat.clock.advance(1 + HOUR)

  assert.equal(before[0], 'old')
  assert.notEqual((await contents(chat))[0], 'old')
})

test('users who had the messages receive one deletion event per topic, and other users none', async () => {
  const { chat, ada, ben, cleo } = await startTalk()
  await chat.change({ message_retention_days: 1 })
  const open = await chat.channel('open', [ada, ben])
  const tea = [await sendToChannel(ada, open, 'one', 'tea'), await sendToChannel(ben, open, 'two', 'Tea')]
  const milk = await sendToChannel(ada, open, 'three', 'milk')
  const notes = [await sendDirect(ben, [ben, ada]), await sendDirect(ada, [ben])]

  await chat.clock.advance(DAY + FIRST_RUN)

  const conversation = { message_type: 'stream', stream_id: open.id }
  const events = [
    { message_ids: tea, ...conversation, topic: 'Tea' },
    { message_ids: [milk], ...conversation, topic: 'milk' },
    { message_ids: notes, message_type: 'private' },
  ]
  for (const person of [ada, ben]) assert.deepEqual(await deletions(chat, person), events)
  assert.deepEqual(await deletions(chat, cleo), [])
})

test('a later subscriber of a channel with protected history gets no events about earlier messages', async () => {
  const { chat, ada, ben, cleo } = await startTalk()
  const secret = await chat.channel('secret', [ada, ben], {
    isPrivate: true,
    isHistoryShared: false,
    messageRetentionDays: 1,
  })
  const before = [await sendToChannel(ada, secret), await sendToChannel(ben, secret)]
  await addToChannel(ada, secret, [cleo])
  const after = await sendToChannel(ben, secret)

  await chat.clock.advance(DAY + FIRST_RUN)

  const deletedIdsOf = async (person: Person) =>
    (await deletions(chat, person))
      .filter(({ message_type }) => message_type === 'stream')
      .map(({ message_ids }) => message_ids)
  assert.deepEqual(await deletedIdsOf(ben), [before, [after]])
  assert.deepEqual(await deletedIdsOf(cleo), [[after]])
})

test('deleting a message also deletes its flags, reactions, attachment links and index entries, and nothing else', async () => {
  const { chat, ada, ben } = await startTalk()
  const design = await chat.channel('design', [ada, ben], { messageRetentionDays: 1 })
  const url = await upload(chat, ada)
  const old = await sendToChannel(ada, design, `apples [a](${url}) @**Ben**`, 'fruit')
  await ben.succeed(`POST /messages/${old}/reactions`, { emoji_name: 'tada' })
  await ben.succeed('POST /messages/flags', { messages: [old], op: 'add', flag: 'starred' })
  await ada.succeed(`PATCH /messages/${old}`, { content: `apples, pears [a](${url}) @**Ben**` })
  await ben.succeed('POST /drafts', {
    drafts: [{ type: 'stream', to: [design.id], topic: 'fruit', content: 'so far' }],
  })
  const later = { type: 'channel', to: design.id, topic: 'fruit', content: `[later](${url})` }
  await ada.succeed('POST /scheduled_messages', { ...later, scheduled_delivery_timestamp: START + 300 * DAY })
  const search = { anchor: 'newest', num_before: 9, num_after: 0, narrow: [['search', 'apples']] }
  assert.equal((await ben.succeed('GET /messages', search))['messages'].length, 1)
  await chat.clock.advance(DAY)
  const fresh = await sendToChannel(ada, design, 'today', 'tea')

  await chat.clock.advance(FIRST_RUN)

  assert.deepEqual(await contents(chat), ['today'])
  assert.deepEqual((await ben.succeed('GET /messages', search))['messages'], [])
  const { topics } = await ben.succeed(`GET /users/me/${design.id}/topics`)
  assert.deepEqual(topics, [{ name: 'tea', max_id: fresh }])
  assert.equal((await ben.succeed(`GET /streams/${design.id}`))['stream'].first_message_id, fresh)
  const state = await ben.succeed('POST /register')
  assert.deepEqual(state['starred_messages'], [])
  assert.partialDeepStrictEqual(state['unread_msgs'], { count: 1, mentions: [] })
  assert.deepEqual(state['unread_msgs'].streams, [{ stream_id: design.id, topic: 'tea', unread_message_ids: [fresh] }])
  assert.equal(state['drafts'].length, 1)
  assert.equal((await ada.succeed('GET /scheduled_messages'))['scheduled_messages'].length, 1)
  const { attachments } = await ada.succeed('GET /attachments')
  assert.deepEqual(attachments[0].messages, [])
  assert.deepEqual([(await fetchPage(chat, url, ada)).status, (await fetchPage(chat, url, ben)).status], [200, 404])
  const { db } = chat.app.services
  for (const table of ['reactions', 'attachmentClaims'] as const)
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), [])
  assert.equal(
    (await db.selectFrom('userMessages').select('messageId').where('messageId', '=', old).execute()).length,
    0,
  )
})

test('a message with a time in the future does not keep later messages from being deleted', async () => {
  const { chat, ada } = await startTalk()
  const design = await chat.channel('design', [ada], { messageRetentionDays: 1 })
  const ahead = await sendToChannel(ada, design, 'from next year')
  await chat.app.services.transaction((tx) =>
    tx
      .updateTable('messages')
      .set({ sentAt: START + 365 * DAY })
      .where('id', '=', ahead)
      .execute(),
  )
  await sendToChannel(ada, design, 'of today')

  await chat.clock.advance(2 * DAY)

  assert.deepEqual(await contents(chat), ['from next year'])
})
