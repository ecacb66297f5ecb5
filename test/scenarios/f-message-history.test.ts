import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join, readMessage, sendToChannel } from './messages.ts'
import { startServer } from './server.ts'
import { picture, upload } from './upload.ts'
import type { Answer } from './wire.ts'
import type { Person } from './world.ts'

const server = await startServer()

const edit = (person: Person, id: number, params: object) => person.succeed(`PATCH /messages/${id}`, { ...params })

/** Returns the fields that an edit or a move adds to a message. */
const traces = ({ edit_history, last_edit_timestamp, last_moved_timestamp }: Answer['body']) => ({
  history: edit_history?.map((entry: object) =>
    Object.keys(entry)
      .filter((key) => key !== 'user_id' && key !== 'timestamp')
      .sort(),
  ),
  isEdited: last_edit_timestamp !== undefined,
  isMoved: last_moved_timestamp !== undefined,
})

const CONTENT = ['prev_content', 'prev_rendered_content']
const TOPIC = ['prev_topic', 'topic']

test('78: reactions contain their emoji as stored', async () => {
  const world = await server.world()
  const { owner, alice, bob } = world
  assert.equal((await upload(server, world, owner, '/realm/emoji/blob', picture(90))).status, 200)
  const [custom] = Object.values((await owner.succeed('GET /realm/emoji')).emoji) as { id: string }[]
  const id = await sendToChannel(alice, 'pub')

  for (const emoji_name of ['blob', 'flag_france', 'tada'])
    await bob.succeed(`POST /messages/${id}/reactions`, { emoji_name })
  const { reactions } = await readMessage(alice, id)

  assert.deepEqual(reactions[0], {
    emoji_name: 'blob',
    emoji_code: custom?.id,
    reaction_type: 'realm_emoji',
    user_id: bob.id,
  })
  const unicode = { reaction_type: 'unicode_emoji', user_id: bob.id }
  assert.deepEqual(reactions.slice(1), [
    { emoji_name: 'flag_france', emoji_code: '1f1eb-1f1f7', ...unicode },
    { emoji_name: 'tada', emoji_code: '1f389', ...unicode },
  ])
})

test('79: topic links are returned in the order in which they occur', async () => {
  const { owner, alice } = await server.world()
  await owner.succeed('POST /realm/filters', {
    pattern: '#(?P<id>[0-9]+)',
    url_template: 'https://issues.example.com/{id}',
  })

  const topic = 'see x.example.com and #12, https://y.example.com/a #3'
  const { topic_links, subject } = await readMessage(alice, await sendToChannel(alice, 'pub', 'hello', topic))

  assert.equal(subject, topic)
  assert.deepEqual(topic_links, [
    { text: 'x.example.com', url: 'https://x.example.com' },
    { text: '#12', url: 'https://issues.example.com/12' },
    { text: 'https://y.example.com/a', url: 'https://y.example.com/a' },
    { text: '#3', url: 'https://issues.example.com/3' },
  ])
})

test('80: fetching a message does not mark it as read', async () => {
  const { alice, bob, carol } = await server.world()
  const id = await sendToChannel(alice, 'pub')

  for (let time = 0; time < 2; time += 1) assert.deepEqual((await readMessage(bob, id)).flags, [])
  assert.deepEqual((await readMessage(carol, id)).flags, ['read', 'historical'])
})

test('81: a mentioned user has the flag, others do not', async () => {
  const { alice, bob, carol } = await server.world()
  await join(carol, 'pub')
  const flags = async (person: Person, id: number) => (await readMessage(person, id)).flags

  const one = await sendToChannel(alice, 'pub', `@**${bob.name}** hello`)
  assert.deepEqual([await flags(bob, one), await flags(carol, one)], [['mentioned'], []])
  const silent = await sendToChannel(alice, 'pub', `@_**${bob.name}** hello`)
  assert.deepEqual(await flags(bob, silent), [])
  const all = await sendToChannel(alice, 'pub', '@**all** hello')
  assert.deepEqual(await flags(bob, all), ['stream_wildcard_mentioned', 'wildcard_mentioned'])
  await bob.succeed('POST /messages/flags', { messages: [one], op: 'add', flag: 'starred' })
  assert.deepEqual(await flags(bob, one), ['starred', 'mentioned'])
})

test('82: an unchanged message has no history', async () => {
  const { alice } = await server.world()

  assert.deepEqual(traces(await readMessage(alice, await sendToChannel(alice, 'pub'))), {
    history: undefined,
    isEdited: false,
    isMoved: false,
  })
})

test('an edit is recorded with its author, newest first', async () => {
  const { alice } = await server.world()
  const id = await sendToChannel(alice, 'pub', '*one*')
  await edit(alice, id, { content: 'two' })
  await edit(alice, id, { content: 'three' })

  const message = await readMessage(alice, id)

  assert.deepEqual(traces(message), { history: [CONTENT, CONTENT], isEdited: true, isMoved: false })
  const { timestamp, ...entry } = message.edit_history[1]
  assert.ok(Number.isInteger(timestamp) && message.last_edit_timestamp >= timestamp)
  assert.deepEqual(entry, { user_id: alice.id, prev_content: '*one*', prev_rendered_content: '<p><em>one</em></p>' })
})

test('83: a moved message is in the new topic, and records the old one', async () => {
  const { owner, alice, channels } = await server.world()
  const id = await sendToChannel(alice, 'pub')

  await edit(owner, id, { stream_id: channels.web })

  const message = await readMessage(alice, id)
  assert.deepEqual(traces(message), { history: [['prev_stream', 'stream']], isEdited: false, isMoved: true })
  const [{ prev_stream, stream }] = message.edit_history
  assert.deepEqual([prev_stream, stream], [channels.pub, channels.web])
  assert.deepEqual([message.stream_id, message.display_recipient], [channels.web, 'web'])
})

test('84: resolving a topic, and undoing that, is not a move; renaming it at once is', async () => {
  const { alice } = await server.world()
  const id = await sendToChannel(alice, 'pub', 'hello', 'tea')

  await edit(alice, id, { topic: '✔ tea', propagate_mode: 'change_all' })
  assert.deepEqual(traces(await readMessage(alice, id)), { history: [TOPIC], isEdited: false, isMoved: false })
  await edit(alice, id, { topic: 'tea', propagate_mode: 'change_all' })
  assert.deepEqual(traces(await readMessage(alice, id)), { history: [TOPIC, TOPIC], isEdited: false, isMoved: false })
  await edit(alice, id, { topic: '✔ coffee', propagate_mode: 'change_all' })
  assert.equal(traces(await readMessage(alice, id)).isMoved, true)
})

test('85: where only moves are visible, older contents are not', async () => {
  const world = await server.world()
  const { alice } = world
  const [edited, both] = [await sendToChannel(alice, 'pub', 'secret'), await sendToChannel(alice, 'pub', 'secret')]
  await edit(alice, edited, { content: 'public' })
  await edit(alice, both, { content: 'public', topic: 'elsewhere' })

  await world.changeSettings({ message_edit_history_visibility_policy: 'moves' })

  const first = await alice.call(`GET /messages/${edited}`)
  assert.equal(first.text.includes('secret'), false)
  assert.deepEqual(traces(first.body.message), { history: undefined, isEdited: true, isMoved: false })
  const second = await alice.call(`GET /messages/${both}`)
  assert.equal(second.text.includes('secret'), false)
  assert.deepEqual(traces(second.body.message), { history: [TOPIC], isEdited: true, isMoved: true })

  await world.changeSettings({ message_edit_history_visibility_policy: 'none' })
  assert.deepEqual(traces(await readMessage(alice, both)), { history: undefined, isEdited: true, isMoved: true })
})

test('86: older contents are also shown as HTML, whatever format the current one has', async () => {
  const { alice } = await server.world()
  const id = await sendToChannel(alice, 'pub', '*old*')
  await edit(alice, id, { content: '*new*' })

  const message = await readMessage(alice, id, { apply_markdown: false })

  assert.equal(message.content, '*new*')
  assert.equal(message.edit_history[0].prev_rendered_content, '<p><em>old</em></p>')
  assert.equal(message.edit_history[0].prev_content, '*old*')
})
