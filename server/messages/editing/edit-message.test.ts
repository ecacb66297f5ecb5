import assert from 'node:assert/strict'
import test from 'node:test'
import { saveChannelFields } from '#channels/queries.ts'
import { Role } from '#rules/role.ts'
import { type Person, startChat } from '../../../test/harness.ts'
import { fetchMessage, invalidMessage, sendDirect, sendToChannel } from '../../../test/messages.ts'

const edit = (person: Person, id: number, params: object) => person.call(`PATCH /messages/${id}`, { ...params })

test('an edit replaces the content, and the history keeps the old content and HTML', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendDirect(ada, [ben], '*old*')
  await chat.clock.advance(5)

  await edit(ada, id, { content: '**new**' })

  const timestamp = Math.floor(chat.clock.now())
  const message = await fetchMessage(ben, id, { apply_markdown: false })
  assert.equal(message.content, '**new**')
  assert.equal(message.last_edit_timestamp, timestamp)
  assert(!('last_moved_timestamp' in message))
  assert.deepEqual(message.edit_history, [
    { user_id: ada.id, timestamp, prev_content: '*old*', prev_rendered_content: '<p><em>old</em></p>' },
  ])
})

test('the history is newest first and contains HTML, whatever format the message is fetched in', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada], 'one')

  for (const content of ['two', 'three']) await edit(ada, id, { content })

  const contents = (await fetchMessage(ada, id, { apply_markdown: false })).edit_history.map(
    (entry: { prev_content: string; prev_rendered_content: string }) => [
      entry.prev_content,
      entry.prev_rendered_content,
    ],
  )
  assert.deepEqual(contents, [
    ['two', '<p>two</p>'],
    ['one', '<p>one</p>'],
  ])
})

test('all users who have the message get the edit event, each with their own flags', async () => {
  const chat = await startChat()
  const [ada, ben, cleo] = [await chat.user('ada'), await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben, cleo])
  const id = await sendToChannel(ada, design, 'hi @**Ben**')

  await edit(ada, id, { content: 'hi @**Cleo**' })

  const event = {
    type: 'update_message',
    user_id: ada.id,
    edit_timestamp: Math.floor(chat.clock.now()),
    message_id: id,
    message_ids: [id],
    rendering_only: false,
    stream_id: design.id,
    stream_name: 'design',
    orig_content: 'hi @**Ben**',
    content: 'hi @**Cleo**',
    is_me_message: false,
  }
  const events = async (person: Person) => {
    const { rendered_content, orig_rendered_content, ...rest } = (await chat.eventsOf(person)).at(-1) ?? { type: '' }
    return rest
  }
  assert.deepEqual(await events(ben), { ...event, flags: [] })
  assert.deepEqual(await events(cleo), { ...event, flags: ['mentioned'] })
  assert.deepEqual((await fetchMessage(ben, id)).flags, [])
})

test('an emptied message becomes "(deleted)", and saving the same content is not an edit', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendDirect(ada, [ada], 'same')

  await edit(ada, id, { content: 'same\n' })
  assert(!('edit_history' in (await fetchMessage(ada, id))))
  await edit(ada, id, { content: ' ' })

  assert.equal((await fetchMessage(ada, id, { apply_markdown: false })).content, '(deleted)')
})

test('only the sender can edit the content, within ten minutes, and only if editing is allowed', async () => {
  const chat = await startChat()
  const [ada, owner] = [await chat.user('ada'), await chat.user('owner', { role: Role.owner })]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, owner]))
  const message = async (person: Person) => (await edit(person, id, { content: 'changed' })).msg

  assert.equal(await message(owner), "You don't have permission to edit this message")
  await chat.clock.advance(621)
  assert.equal(await message(ada), 'The time limit for editing this message has passed')
  await chat.change({ message_content_edit_limit_seconds: null })
  assert.equal(await message(ada), '')
  await chat.change({ allow_message_editing: false })
  assert.equal(await message(ada), 'Your organization has turned off message editing')
})

test('an edit without changes, or with fields that do not apply to the message, is refused', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const [direct, said] = [await sendDirect(ada, [ada]), await sendToChannel(ada, design)]
  const message = async (id: number, params: object) => (await edit(ada, id, params)).msg

  assert.equal(await message(said, {}), 'Nothing to change')
  assert.equal(await message(said, { topic: ` ${(await fetchMessage(ada, said)).subject} ` }), 'Nothing to change')
  assert.equal(
    await message(said, { content: 'x', propagate_mode: 'change_all' }),
    'Invalid propagate_mode without topic edit',
  )
  assert.equal(await message(direct, { topic: 'tea' }), 'Direct messages cannot have topics.')
  assert.equal(await message(direct, { stream_id: design.id }), 'Direct messages cannot be moved to channels.')
  const other = await chat.channel('other', [ada])
  assert.equal(
    await message(said, { content: 'x', stream_id: other.id }),
    'Cannot change message content while changing channel',
  )
  assert.equal(await message(direct, { content: 'x', topic: '' }), '')
  assert.equal(await message(said, { content: 'x', stream_id: design.id }), '')
  assert.equal((await edit(ada, said, { topic: 'a', subject: 'b' })).code, 'REQUEST_CONFUSING_VAR')
})

test('messages that the user may not read, and archived messages, cannot be edited', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada])
  const [direct, archived] = [await sendDirect(ada, [ada]), await sendToChannel(ada, design)]
  await chat.app.services.transaction((tx) => saveChannelFields(tx, design.id, { archivedAt: tx.now }))

  assert.deepEqual(await edit(ben, direct, { content: 'x' }), invalidMessage)
  assert.deepEqual(await edit(ben, 404, { content: 'x' }), invalidMessage)
  assert.deepEqual(await edit(ada, archived, { content: 'x' }), invalidMessage)
})

test('a request that changes content and topic makes one entry, and other users may change the topic alone', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const id = await sendToChannel(ada, await chat.channel('design', [ada, ben]), 'old', 'tea')
  const by = { user_id: ada.id, timestamp: Math.floor(chat.clock.now()) }

  await edit(ada, id, { content: 'new', topic: 'coffee' })
  await edit(ben, id, { subject: 'cocoa' })

  assert.deepEqual((await fetchMessage(ada, id)).edit_history, [
    { ...by, user_id: ben.id, prev_topic: 'coffee', topic: 'cocoa' },
    { ...by, prev_content: 'old', prev_rendered_content: '<p>old</p>', prev_topic: 'tea', topic: 'coffee' },
  ])
})

test('an organization can hide histories or their contents, but not the times of the last edit and move', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const design = await chat.channel('design', [ada])
  const [edited, mixed] = [await sendToChannel(ada, design, 'old'), await sendToChannel(ada, design, 'old')]
  await edit(ada, edited, { content: 'new' })
  await edit(ada, mixed, { content: 'new', topic: 'coffee' })
  const by = { user_id: ada.id, timestamp: Math.floor(chat.clock.now()) }

  await chat.change({ message_edit_history_visibility_policy: 'moves' })
  const { edit_history, last_edit_timestamp } = await fetchMessage(ada, edited)
  assert.deepEqual([edit_history, last_edit_timestamp], [undefined, by.timestamp])
  assert.deepEqual((await fetchMessage(ada, mixed)).edit_history, [{ ...by, prev_topic: 'tea', topic: 'coffee' }])

  await chat.change({ message_edit_history_visibility_policy: 'none' })
  const hidden = await fetchMessage(ada, mixed)
  assert(!('edit_history' in hidden))
  assert.equal(hidden.last_moved_timestamp, by.timestamp)
  assert.equal(hidden.last_edit_timestamp, by.timestamp)
})

test('histories show the name of the empty topic, unless the client supports empty topic names', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'hi', '')
  await edit(ada, id, { topic: 'tea' })
  const topics = async (params: object) => {
    const { prev_topic, topic } = (await fetchMessage(ada, id, { ...params })).edit_history[0]
    return [prev_topic, topic]
  }

  assert.deepEqual(await topics({}), ['general chat', 'tea'])
  assert.deepEqual(await topics({ allow_empty_topic_name: true }), ['', 'tea'])
})

test('two concurrent edits both stay in the history', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'one')

  await Promise.all([
    edit(ada, id, { content: 'two' }),
    edit(ada, id, { content: 'three' }),
    edit(ada, id, { topic: 'x' }),
  ])

  const message = await fetchMessage(ada, id, { apply_markdown: false })
  assert.equal(message.edit_history.length, 3)
  const said = new Set([
    message.content,
    ...message.edit_history.flatMap((entry: { prev_content?: string }) => entry.prev_content ?? []),
  ])
  assert.deepEqual(said, new Set(['one', 'two', 'three']))
})

test('the empty topic cannot be resolved by any of its names', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const id = await sendToChannel(ada, await chat.channel('design', [ada]), 'hi', '')

  for (const topic of ['✔', '✔ ', '✔ general chat']) {
    const { status, msg } = await ada.call(`PATCH /messages/${id}`, { topic })
    assert.deepEqual([status, msg], [400, 'General chat cannot be marked as resolved'])
  }
  assert.equal((await fetchMessage(ada, id, { allow_empty_topic_name: true })).subject, '')
})

test('events about edits have the flags of the reader, and only "read" for readers without a record', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.moderator })
  const [ben, cleo] = [await chat.user('ben'), await chat.user('cleo')]
  const design = await chat.channel('design', [ada, ben])
  const other = await chat.channel('other', [ada, ben, cleo])
  const id = await sendToChannel(ada, design, '@**all** hello')

  const quiet = { send_notification_to_new_thread: false, send_notification_to_old_thread: false }
  await ada.succeed(`PATCH /messages/${id}`, { stream_id: other.id, ...quiet })

  const flagsOf = async (person: Person) => (await chat.eventsOf(person)).at(-1)?.['flags']
  assert.deepEqual(await flagsOf(ben), ['stream_wildcard_mentioned'])
  assert.deepEqual(await flagsOf(cleo), ['read'])
})
