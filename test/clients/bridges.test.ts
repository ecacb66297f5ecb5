import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { startChat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { fetchEventsNow, openQueue, type QueueEvent, send } from './requests.ts'

// The requests of bridges, replayed as they send them.

async function setting() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const bridge = await chat.user('bridge', { botType: BotType.generic, owner: ada })
  return { chat, ada, ben, bridge, design: await chat.channel('design', [ada, ben]) }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('matterbridge receives all public channels, recognizes its own messages by their sender, and edits its messages', async () => {
  const { chat, ada, bridge, design } = await setting()
  const body = 'event_types=["message"]&all_public_streams=true'
  const registered = await send(chat, { path: '/api/v1/register', as: bridge, headers: form, body })
  const queue = { id: registered['queue_id'], lastEventId: registered['last_event_id'] }
  const { streams } = await bridge.succeed('GET /streams')
  assert.deepEqual(
    streams.map(({ stream_id, name }: { stream_id: number; name: string }) => [stream_id, name]),
    [[design.id, 'design']],
  )

  await sendToChannel(ada, design, '*from here*', 'bridged')
  const sent = await bridge.succeed('POST /messages', {
    type: 'stream',
    to: 'design',
    subject: 'bridged',
    content: 'from there',
  })
  await bridge.succeed(`PATCH /messages/${sent['id']}`, { content: 'from over there' })
  await bridge.succeed(`PATCH /messages/${sent['id']}`, { content: '' })

  const events = await fetchEventsNow(bridge, queue)
  assert.deepEqual(
    events.map(({ type, message }) => [
      type,
      message.sender_email,
      message.content,
      message.stream_id,
      message.subject,
    ]),
    [
      ['message', ada.email, '*from here*', design.id, 'bridged'],
      ['message', bridge.email, 'from there', design.id, 'bridged'],
    ],
  )
  for (const { message } of events)
    assert.deepEqual([typeof message.sender_full_name, typeof message.sender_id], ['string', 'number'])
  const { message } = await ada.succeed(`GET /messages/${sent['id']}`, { apply_markdown: false })
  assert.equal(message.content, '(deleted)')
})

test('hubot names the channel in a list, and receives its own replies', async () => {
  const { ada, bridge, design } = await setting()
  const queue = await openQueue(bridge, { event_types: ['message'], all_public_streams: true })
  await sendToChannel(ada, design, 'hubot ping')

  const [event] = await fetchEventsNow(bridge, queue)
  const { display_recipient: name, subject } = (event as QueueEvent)['message']
  await bridge.succeed('POST /messages', { type: 'stream', to: [name], subject, content: 'PONG' })
  await bridge.succeed('POST /messages', { type: 'private', to: [ada.email], content: 'PONG' })

  const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 2, num_after: 0 })
  assert.deepEqual(
    messages.map((message: { content: string }) => message.content),
    ['<p>PONG</p>', '<p>PONG</p>'],
  )
})

test('mautrix continues with a saved queue, and finds the users and channels of its events', async () => {
  const { ada, ben, bridge, design } = await setting()
  await ada.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'design' }], principals: [bridge.id] })
  const queue = await openQueue(bridge, {
    event_types: [
      'message',
      'update_message',
      'delete_message',
      'reaction',
      'realm_user',
      'subscription',
      'stream',
      'typing',
      'attachment',
      'alert_words',
      'presence',
    ],
    client_capabilities: {
      notification_settings_null: true,
      bulk_message_deletion: true,
      simplified_presence_events: true,
      empty_topic_name: true,
    },
    apply_markdown: true,
    client_gravatar: true,
  })
  const me = await bridge.succeed('GET /users/me')
  await sendToChannel(ben, design, '*hello*')

  const received = await fetchEventsNow(bridge, queue)
  const again = await fetchEventsNow(bridge, queue)
  const later = await fetchEventsNow(bridge, { ...queue, lastEventId: received.at(-1)?.id ?? 0 })

  assert.equal(me['user_id'], bridge.id)
  assert.deepEqual([received.map((event) => event.type), again, later], [['message'], received, []])
  const message = received[0]?.['message']
  assert.equal(message.content, '<p><em>hello</em></p>')
  assert.equal((await bridge.succeed(`GET /users/${message.sender_id}`))['user'].full_name, 'Ben')
  assert.equal((await bridge.succeed(`GET /streams/${message.stream_id}`))['stream'].name, 'design')
  assert.deepEqual((await bridge.succeed(`GET /streams/${design.id}/members`))['subscribers'], [
    ada.id,
    ben.id,
    bridge.id,
  ])
  assert.equal((await bridge.succeed('GET /users/me/subscriptions'))['subscriptions'].length, 1)
})
