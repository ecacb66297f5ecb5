import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { addToChannel, fetchMessage, invalidMessage, leaveChannel, sendToChannel } from '../../../test/messages.ts'

const edit = (person: Person, id: number, params: object) => person.call(`PATCH /messages/${id}`, { ...params })

const topicsOf = async (person: Person, ids: number[]) =>
  Promise.all(ids.map(async (id) => (await fetchMessage(person, id)).subject))

const withoutNotice = { send_notification_to_new_thread: false }

async function sendThree(chat: Chat) {
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const ids = [
    await sendToChannel(ada, design, 'a'),
    await sendToChannel(ben, design, 'b', 'TEA'),
    await sendToChannel(ada, design, 'c'),
  ]
  return { ada, ben, design, ids: ids as [number, number, number] }
}

test("a move applies to one message, to it and later ones, or to the whole topic, whatever the topic's case", async () => {
  const expected = {
    change_one: ['tea', 'coffee', 'tea'],
    change_later: ['tea', 'coffee', 'coffee'],
    change_all: ['coffee', 'coffee', 'coffee'],
  }
  for (const [propagate_mode, topics] of Object.entries(expected)) {
    const { ada, ids } = await sendThree(await startChat())

    await edit(ada, ids[1], { topic: 'coffee', propagate_mode, ...withoutNotice })

    assert.deepEqual(await topicsOf(ada, ids), topics)
  }
})

test('each moved message gets its own history entry, and one event covers all of them', async () => {
  const chat = await startChat()
  const { ada, ben, design, ids } = await sendThree(chat)
  await edit(ada, ids[0], { content: 'edited' })
  const by = { user_id: ada.id, timestamp: Math.floor(chat.clock.now()) }

  await edit(ada, ids[0], { topic: 'coffee', content: 'again', propagate_mode: 'change_all', ...withoutNotice })

  const move = { prev_topic: 'tea', topic: 'coffee' }
  const histories = await Promise.all(ids.map(async (id) => (await fetchMessage(ben, id)).edit_history))
  assert.deepEqual(histories[0], [
    { ...by, prev_content: 'edited', prev_rendered_content: '<p>edited</p>', ...move },
    { ...by, prev_content: 'a', prev_rendered_content: '<p>a</p>' },
  ])
  assert.deepEqual(histories[2], [{ ...by, ...move }])
  assert.partialDeepStrictEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'update_message',
    message_id: ids[0],
    message_ids: ids,
    stream_id: design.id,
    propagate_mode: 'change_all',
    orig_subject: 'tea',
    subject: 'coffee',
    topic_links: [],
    content: 'again',
  })
})

test('a move between channels shows the new channel, the time, and the channel ids in the history', async () => {
  const chat = await startChat()
  const { ada, design, ids } = await sendThree(chat)
  const other = await chat.channel('other', [ada])

  await edit(ada, ids[0], { stream_id: other.id, ...withoutNotice })

  const timestamp = Math.floor(chat.clock.now())
  const message = await fetchMessage(ada, ids[0])
  assert.partialDeepStrictEqual(message, {
    stream_id: other.id,
    display_recipient: 'other',
    recipient_id: other.recipientId,
    subject: 'tea',
    last_moved_timestamp: timestamp,
    edit_history: [{ user_id: ada.id, timestamp, prev_stream: design.id, stream: other.id }],
  })
  assert(!('last_edit_timestamp' in message))
})

test('resolving and unresolving are in the history but are not moves, and resolving with a rename is a move', async () => {
  const chat = await startChat()
  const { ada, ids } = await sendThree(chat)
  const long = 'x'.repeat(60)

  for (const topic of ['✔ tea', 'tea']) {
    await edit(ada, ids[0], { topic })
    assert(!('last_moved_timestamp' in (await fetchMessage(ada, ids[0]))))
  }
  assert.equal((await fetchMessage(ada, ids[0])).edit_history.length, 2)
  await edit(ada, ids[0], { topic: '✔ coffee' })
  assert('last_moved_timestamp' in (await fetchMessage(ada, ids[0])))

  await edit(ada, ids[2], { topic: long })
  const { last_moved_timestamp } = await fetchMessage(ada, ids[2])
  await chat.clock.advance(10)
  await edit(ada, ids[2], { topic: `✔ ${long}` })
  const resolved = await fetchMessage(ada, ids[2])
  assert.equal(resolved.subject, `✔ ${'x'.repeat(55)}...`)
  assert.equal(resolved.last_moved_timestamp, last_moved_timestamp)
})

test('access follows the channel that a message is moved to, whether or not users received the message', async () => {
  const chat = await startChat()
  const { ada, ben, ids } = await sendThree(chat)
  const cleo = await chat.user('cleo')
  const secret = await chat.channel('secret', [ada, cleo], { isPrivate: true })
  const design = (await fetchMessage(ada, ids[0])).stream_id

  await edit(ada, ids[0], { stream_id: secret.id, ...withoutNotice })

  assert.deepEqual(await ben.call(`GET /messages/${ids[0]}`), invalidMessage)
  assert.deepEqual((await fetchMessage(cleo, ids[0])).flags, ['read', 'historical'])
  assert.deepEqual((await chat.eventsOf(ben)).at(-1), {
    type: 'delete_message',
    message_ids: [ids[0]],
    message_type: 'stream',
    stream_id: design,
    topic: 'tea',
  })
  assert.partialDeepStrictEqual((await chat.eventsOf(cleo)).at(-1), {
    type: 'update_message',
    new_stream_id: secret.id,
  })

  await edit(ada, ids[0], { stream_id: design, ...withoutNotice })
  assert.equal((await fetchMessage(ben, ids[0])).id, ids[0])
})

test('messages moved to a channel with protected history can be read by current subscribers, but not by former and later ones', async () => {
  const chat = await startChat()
  const { ada, ben, ids } = await sendThree(chat)
  const cleo = await chat.user('cleo')
  const dan = await chat.user('dan')
  const closed = await chat.channel('closed', [ada, ben, cleo], { isPrivate: true, isHistoryShared: false })
  await leaveChannel(ben, closed)

  await edit(ada, ids[0], { stream_id: closed.id, ...withoutNotice })
  await addToChannel(ada, closed, [ben, dan])

  assert.deepEqual((await fetchMessage(cleo, ids[0])).flags, ['read', 'historical'])
  assert.deepEqual(await ben.call(`GET /messages/${ids[0]}`), invalidMessage)
  assert.deepEqual(await dan.call(`GET /messages/${ids[0]}`), invalidMessage)
})

test('messages moved to a channel without a subscription are marked as read, with an event', async () => {
  const chat = await startChat()
  const { ada, ben, ids } = await sendThree(chat)
  const other = await chat.channel('other', [ada])

  await edit(ada, ids[0], { stream_id: other.id, ...withoutNotice })

  assert.deepEqual((await fetchMessage(ben, ids[0])).flags, ['read'])
  const received = (await chat.eventsOf(ben)).slice(-2)
  assert.partialDeepStrictEqual(received, [
    { type: 'update_message_flags', op: 'add', flag: 'read', messages: [ids[0]] },
    { type: 'update_message', new_stream_id: other.id, flags: ['read'] },
  ])
})

test('a message that is moved to a private channel stays with users who may read it there without a subscription', async () => {
  const chat = await startChat()
  const { ada, ben, ids } = await sendThree(chat)
  const owner = await chat.user('owner', { role: Role.owner })
  const secret = await chat.channel('secret', [ada, owner], { isPrivate: true })
  await owner.succeed(`PATCH /streams/${secret.id}`, {
    can_add_subscribers_group: { new: { direct_members: [ben.id], direct_subgroups: [] } },
  })

  await edit(ada, ids[0], { stream_id: secret.id, ...withoutNotice })

  assert.deepEqual((await fetchMessage(ben, ids[0])).flags, ['read'])
  const received = (await chat.eventsOf(ben)).at(-1)
  assert.partialDeepStrictEqual(received, { type: 'update_message', new_stream_id: secret.id, flags: ['read'] })
})

test('moving requires permissions, and a destination that the user may post in', async () => {
  const chat = await startChat()
  const { ada, ids } = await sendThree(chat)
  const other = await chat.channel('other', [])
  const secret = await chat.channel('secret', [], { isPrivate: true })
  const settings = { can_send_message_group: 'role:administrators' as const }
  const news = await chat.channel('news', [ada], { settings })
  const old = await chat.channel('old', [ada])
  await chat.app.services.transaction((tx) => saveChannelFields(tx, old.id, { archivedAt: tx.now }))
  const message = async (params: object) => (await edit(ada, ids[0], params)).msg

  assert.equal(await message({ stream_id: secret.id }), 'Invalid channel ID')
  assert.equal(await message({ stream_id: 404 }), 'Invalid channel ID')
  assert.equal(await message({ stream_id: old.id }), 'Invalid channel ID')
  assert.equal(await message({ stream_id: news.id }), 'You do not have permission to post in this channel.')
  await chat.change({ can_move_messages_between_channels_group: 'role:moderators' })
  assert.equal(await message({ stream_id: other.id }), "You don't have permission to move this message")
  await chat.change({ can_move_messages_between_topics_group: 'role:moderators' })
  assert.equal(await message({ topic: 'coffee' }), "You don't have permission to edit this message")
  assert.equal(await message({ topic: '✔ tea' }), '')
  await chat.change({ can_resolve_topics_group: 'role:moderators' })
  assert.equal(await message({ topic: 'tea' }), "You don't have permission to resolve topics.")
  assert.deepEqual(await topicsOf(ada, ids), ['✔ tea', 'TEA', 'tea'])
})

test('messages older than a week can only be moved by moderators, but topics can still be resolved', async () => {
  const chat = await startChat()
  const { ada, design, ids } = await sendThree(chat)
  const mod = await chat.user('mod', { role: Role.moderator })
  const other = await chat.channel('other', [])
  await chat.clock.advance(604_800 + 20)
  const inTime = await edit(ada, ids[2], { topic: 'Tea', ...withoutNotice })
  await chat.clock.advance(1)
  const fresh = await sendToChannel(ada, design)
  const message = async (id: number, params: object) => (await edit(ada, id, params)).msg

  assert.equal(inTime.status, 200)
  assert.equal(await message(ids[0], { topic: 'x' }), "The time limit for editing this message's topic has passed.")
  assert.equal(
    await message(ids[0], { stream_id: other.id }),
    "The time limit for editing this message's channel has passed",
  )
  assert.deepEqual(await edit(ada, fresh, { topic: 'x', propagate_mode: 'change_all' }), {
    status: 400,
    result: 'error',
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    msg: 'You only have permission to move the 1/4 most recent messages in this topic.',
    total_messages_in_topic: 4,
    total_messages_allowed_to_move: 1,
    first_message_id_allowed_to_move: fresh,
  })
  assert.equal(await message(ids[0], { topic: '✔ tea', propagate_mode: 'change_all' }), '')
  assert.equal((await edit(mod, ids[0], { topic: 'x', propagate_mode: 'change_all' })).status, 200)
  assert.deepEqual(await topicsOf(ada, [...ids, fresh]), ['x', 'x', 'x', 'x'])
})

test('moves to another channel have a time limit of their own, which also applies if they resolve the topic', async () => {
  const chat = await startChat()
  const { ada, design, ids } = await sendThree(chat)
  const other = await chat.channel('other', [])
  await chat.change({
    move_messages_within_stream_limit_seconds: 3600,
    move_messages_between_streams_limit_seconds: 60,
  })
  await chat.clock.advance(81)
  const fresh = await sendToChannel(ada, design)
  const codeOf = async (id: number, params: object) => {
    const { status, code, msg } = await edit(ada, id, { ...params, ...withoutNotice })
    return status === 200 ? status : code === 'BAD_REQUEST' ? msg : code
  }
  const all = { propagate_mode: 'change_all' }
  const toOther = { stream_id: other.id }

  assert.equal(await codeOf(ids[0], toOther), "The time limit for editing this message's channel has passed")
  assert.equal(await codeOf(fresh, { ...toOther, ...all }), 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED')
  assert.equal(await codeOf(fresh, { ...toOther, ...all, topic: '✔ tea' }), 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED')
  assert.equal(await codeOf(ids[0], { topic: 'x', ...all }), 200)
  assert.equal(await codeOf(fresh, toOther), 200)
})

test('in a channel with protected history, only messages that the user received are moved along', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const closed = await chat.channel('closed', [ada], { isPrivate: true, isHistoryShared: false })
  const before = await sendToChannel(ada, closed)
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'closed' }], principals: [ben.id] })
  const received = await sendToChannel(ada, closed)

  await edit(ben, received, { topic: 'coffee', propagate_mode: 'change_all', ...withoutNotice })

  assert.deepEqual(await topicsOf(ada, [before, received]), ['tea', 'coffee'])
})

type Notice = { sender_id: number; subject: string; content: string; display_recipient: string }

/** Returns the channel, topic and text of each notice that the user received, oldest first. */
const noticesFor = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person))
    .filter((event) => event.type === 'message')
    .map((event) => event['message'] as Notice)
    .filter((message) => message.sender_id !== person.id && message.content.includes('@_'))
    .map(({ display_recipient, subject, content }) => [display_recipient, subject, content])

const messageLink = ({ id, name }: { id: number; name: string }, topic: string, messageId: number) =>
  `[A message](http://parley.test/#narrow/channel/${id}-${name}/topic/${topic}/near/${messageId})`

test('a move sends the requested notices to both topics, and resolving always sends one', async () => {
  const chat = await startChat()
  const { ada, ids, design } = await sendThree(chat)
  const other = await chat.channel('other', [ada])
  const who = `@_**Ada|${ada.id}**`

  await edit(ada, ids[0], { topic: 'coffee', send_notification_to_old_thread: true })
  await edit(ada, ids[2], { stream_id: other.id, propagate_mode: 'change_all' })
  await edit(ada, ids[2], { topic: '✔ tea', send_notification_to_new_thread: false })
  await edit(ada, ids[0], { stream_id: design.id, topic: 'coffee' })

  assert.deepEqual(await noticesFor(chat, ada), [
    ['design', 'coffee', `${messageLink(design, 'coffee', ids[0])} was moved here from #**design>tea** by ${who}.`],
    ['design', 'tea', `A message was moved from this topic to #**design>coffee** by ${who}.`],
    ['other', 'tea', `This topic was moved here from #**design>tea** by ${who}.`],
    ['other', '✔ tea', `${who} has marked this topic as resolved.`],
  ])
})

test('a notice says "this topic" if the whole topic moved to a topic without messages', async () => {
  const chat = await startChat()
  const { ada, ids, design } = await sendThree(chat)
  const there = await sendToChannel(ada, design, 'early', 'coffee')
  const notify = { send_notification_to_old_thread: true, send_notification_to_new_thread: true }
  const who = `@_**Ada|${ada.id}**`

  await edit(ada, ids[0], { topic: 'Tea', propagate_mode: 'change_all', ...notify })
  await edit(ada, ids[1], { topic: 'coffee', propagate_mode: 'change_all', ...notify })
  await edit(ada, there, { topic: 'cocoa', ...notify })

  assert.deepEqual(await noticesFor(chat, ada), [
    ['design', 'Tea', `This topic was moved here from #**design>tea** by ${who}.`],
    ['design', 'tea', `This topic was moved to #**design>Tea** by ${who}.`],
    ['design', 'coffee', `5 messages were moved here from #**design>Tea** by ${who}.`],
    ['design', 'Tea', `This topic was moved to #**design>coffee** by ${who}.`],
    ['design', 'cocoa', `${messageLink(design, 'cocoa', there)} was moved here from #**design>coffee** by ${who}.`],
    ['design', 'coffee', `A message was moved from this topic to #**design>cocoa** by ${who}.`],
  ])
})

test('neither the notice nor the event of a move reveals the name of a private channel to readers of another channel', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const [secret, design] = [
    await chat.channel('secret', [ada], { isPrivate: true }),
    await chat.channel('design', [ada, ben]),
  ]
  const id = await sendToChannel(ada, secret)

  await edit(ada, id, { stream_id: design.id })

  const events = async (person: Person) => (await chat.eventsOf(person)).slice(-2)
  const [ofAda, ofBen] = [await events(ada), await events(ben)]
  assert.partialDeepStrictEqual(ofBen[1], { message: { content: `This topic was moved here by @_**Ada|${ada.id}**.` } })
  const move = { type: 'update_message', stream_id: secret.id, new_stream_id: design.id }
  assert.partialDeepStrictEqual(ofAda[0], { ...move, stream_name: 'secret' })
  assert.partialDeepStrictEqual(ofBen[0], move)
  assert.doesNotMatch(JSON.stringify(ofBen), /secret/)
})

test('a notice about the origin of messages links to the empty topic', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const id = await sendToChannel(ada, design, 'hello', '')

  await edit(ada, id, { topic: 'tea' })

  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  assert.match(
    messages[0].content,
    /href="\/#narrow\/channel\/\d+-design\/topic\/">#design &gt; <em>general chat<\/em>/,
  )
})
