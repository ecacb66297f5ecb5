import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { startChat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { send } from './requests.ts'

// The requests of integrations and tools, replayed as they send them.

async function setting() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

test('the Symfony notifier gets the id of its message, or the error', async () => {
  const { ada } = await setting()
  const message = { type: 'stream', topic: 'deploys', content: 'Version 2 is live' }

  const sent = await ada.call('POST /messages', { ...message, to: 'design' })
  const refused = await ada.call('POST /messages', { ...message, to: 'nowhere' })

  assert.deepEqual([sent.status, typeof sent['id']], [200, 'number'])
  assert.deepEqual([refused.status, refused.code, typeof refused.msg], [400, 'STREAM_DOES_NOT_EXIST', 'string'])
})

test('n8n creates, changes and deactivates channels and users with parameters of old servers', async () => {
  const { chat, ada, design } = await setting()
  const old = { is_announcement_only: false, stream_post_policy: 1 }
  const person = { email: 'cleo@example.com', full_name: 'Cleo', password: 'a long garden path', short_name: 'cleo' }

  const sent = await ada.succeed('POST /messages', {
    type: 'stream',
    to: String(design.id),
    topic: 'flow',
    content: 'hi',
  })
  const renamed = await ada.succeed(`PATCH /streams/${design.id}`, {
    description: '"what we draw"',
    new_name: '"drawings"',
    ...old,
  })
  const made = await ada.succeed('POST /users', person)
  await ada.succeed(`PATCH /users/${made['user_id']}`, { full_name: 'Cleo B.', is_admin: false, is_guest: false })
  const { streams } = await ada.succeed('GET /streams', { include_all_active: true, include_owner_subscribed: true })
  const joined = await ada.succeed('POST /users/me/subscriptions', {
    subscriptions: [{ name: '"drawings"' }, { name: 'plans' }],
  })
  const body = { path: '/api/v1/users/me/subscriptions', method: 'GET', as: ada, body: 'include_subscribers=true' }
  const mine = await send(chat, { ...body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  const { topics } = await ada.succeed(`GET /users/me/${design.id}/topics`)
  await ada.succeed(`DELETE /users/${made['user_id']}`)
  await ada.succeed(`DELETE /messages/${sent['id']}`)
  await ada.succeed(`DELETE /streams/${design.id}`)

  assert.deepEqual(renamed['ignored_parameters_unsupported'], ['is_announcement_only', 'stream_post_policy'])
  assert.deepEqual(made['ignored_parameters_unsupported'], ['short_name'])
  // The quotes that it adds are part of the names, since the reference server uses strings unchanged.
  assert.equal(streams[0].name, '"drawings"')
  assert.deepEqual([Object.keys(joined['subscribed']).length, mine['subscriptions'].length], [1, 2])
  assert.deepEqual(
    topics.map(({ name }: { name: string }) => name),
    ['channel events', 'flow'],
  )
  const { user } = await ada.succeed(`GET /users/${made['user_id']}`)
  assert.deepEqual([user.full_name, user.is_active], ['Cleo B.', false])
})

test('an MCP server whose JSON is ignored tries again with a form', async () => {
  const { chat, ada, ben, design } = await setting()
  const json = { 'content-type': 'application/json' }
  const message = { type: 'stream', to: 'design', topic: 'tools', content: 'from a tool' }

  const refused = await send(chat, { path: '/api/v1/messages', as: ben, headers: json, body: JSON.stringify(message) })
  const { id } = await ben.succeed('POST /messages', message)
  await ada.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'eyes' })
  await ada.succeed('POST /messages/flags', { messages: [id], op: 'add', flag: 'read' })
  const narrow = JSON.stringify([
    ['stream', 'design'],
    ['topic', 'tools'],
  ])
  const query = new URLSearchParams({ anchor: 'newest', num_before: '5', num_after: '0', narrow })
  const found = await send(chat, { path: `/api/v1/messages?${query}`, method: 'GET', as: ben, headers: json })

  assert.equal(refused.code, 'REQUEST_VARIABLE_MISSING')
  const [first] = found['messages']
  assert.deepEqual(
    [first.id, first.display_recipient, first.subject, first.reactions.length],
    [id, 'design', 'tools', 1],
  )
  assert.deepEqual((await ben.succeed(`GET /messages/${id}/read_receipts`))['user_ids'], [ada.id])
  assert.equal((await ben.succeed('GET /get_stream_id', { stream: 'design' }))['stream_id'], design.id)
  assert.equal((await ben.succeed(`GET /users/${ada.email}`))['user'].user_id, ada.id)
  assert.ok(
    (await ben.succeed('GET /user_groups'))['user_groups'].every((group: { members: unknown }) =>
      Array.isArray(group.members),
    ),
  )
  const draft = { type: 'stream', to: [design.id], topic: 'tools', content: 'later', timestamp: 1_700_000_000 }
  const { ids } = await ben.succeed('POST /drafts', { drafts: [draft] })
  await ben.succeed(`PATCH /drafts/${ids[0]}`, { draft: { ...draft, content: 'sooner' } })
  assert.equal((await ben.succeed('GET /drafts'))['drafts'][0].content, 'sooner')
  const later = { ...message, scheduled_delivery_timestamp: Math.floor(chat.clock.now()) + 600 }
  const { scheduled_message_id: scheduled } = await ben.succeed('POST /scheduled_messages', { ...later, to: design.id })
  assert.equal(typeof scheduled, 'number')
  await ben.succeed(`PATCH /scheduled_messages/${scheduled}`, { content: 'later, from a tool' })
  assert.ok((await sendToChannel(ada, design)) > id)
})
