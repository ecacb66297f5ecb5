import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BotType } from '#rules/role.ts'
import { type Body, startChat } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { send, waitUntilPolling } from './requests.ts'

// The requests of the Go library gozulipbot, replayed as it sends them. Go fails to decode a field whose type differs
// from that in the library, and ignores null and missing fields.

const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Go-http-client/1.1' }

/** The fields of a message that the library reads, except its recipients. */
const messageTypes: Record<string, string> = {
  avatar_url: 'string',
  client: 'string',
  content: 'string',
  content_type: 'string',
  id: 'number',
  recipient_id: 'number',
  sender_email: 'string',
  sender_full_name: 'string',
  sender_id: 'number',
  subject: 'string',
  timestamp: 'number',
  type: 'string',
}

// biome-ignore lint/suspicious/noExplicitAny: the library decodes field by field
function requireDecodable(message: any): void {
  for (const [name, type] of Object.entries(messageTypes)) {
    const value = message[name] ?? null
    if (value === null) continue
    assert.equal(typeof value, type, name)
    if (type === 'number') assert.ok(Number.isInteger(value), name)
  }
  const { display_recipient: recipients } = message
  if (typeof recipients === 'string') return
  for (const person of recipients)
    assert.deepEqual([typeof person.id, typeof person.email, typeof person.full_name], ['number', 'string', 'string'])
}

test('gozulipbot subscribes, receives mentions and direct messages, and responds to them', async () => {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada'), await chat.user('ben')]
  const design = await chat.channel('design', [ada, ben])
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const call = (method: string, path: string, body = ''): Promise<Body> =>
    send(chat, { method, path: `/api/v1/${path}`, as: bot, headers: form, body })
  const post = (fields: Record<string, string>) => call('POST', 'messages', new URLSearchParams(fields).toString())

  const { streams } = await call('GET', 'streams')
  const names = streams.map(({ name }: { name: string }) => ({ name }))
  const joined = await call('POST', 'users/me/subscriptions', `subscriptions=${JSON.stringify(names)}`)
  const { subscriptions } = await call('GET', 'users/me/subscriptions')
  const queue = await call('POST', 'register', 'event_types=["message"]')
  const eventsPath = (id: number) =>
    `events?${new URLSearchParams({ last_event_id: String(id), queue_id: queue['queue_id'] })}`
  await sendToChannel(ada, design, '@**Bot** hello', 'tea')
  const inChannel = (await call('GET', eventsPath(queue['last_event_id'])))['events']
  await sendDirect(ada, [ben, bot], 'hello both')
  const inPrivate = (await call('GET', eventsPath(inChannel.at(-1).id)))['events']
  const received = [...inChannel, ...inPrivate].map(({ message }) => message)
  for (const message of received) requireDecodable(message)
  const toChannel = await post({
    type: 'stream',
    to: received[0].display_recipient,
    subject: received[0].subject,
    content: 'to the topic',
  })
  const others = received[1].display_recipient.filter(({ email }: { email: string }) => email !== bot.email)
  const to = others.map(({ email }: { email: string }) => email).join(',')
  const toBoth = await post({ type: 'private', to, content: 'to both' })
  const left = await call('DELETE', 'users/me/subscriptions', 'subscriptions=["design"]')

  assert.deepEqual(joined['subscribed'], { [bot.id]: ['design'] })
  assert.deepEqual(
    subscriptions.map(({ name }: { name: string }) => name),
    ['design'],
  )
  assert.deepEqual(
    received.map(({ content, subject }: Record<string, string>) => [content, subject]),
    [
      ['@**Bot** hello', 'tea'],
      ['hello both', ''],
    ],
  )
  const read = async ({ id }: Body) => (await ben.succeed(`GET /messages/${id}`, { apply_markdown: false }))['message']
  const [answer, reply] = [await read(toChannel), await read(toBoth)]
  assert.deepEqual([answer.display_recipient, answer.subject, answer.client], ['design', 'tea', 'Go-http-client'])
  assert.deepEqual(
    reply.display_recipient.map(({ id }: { id: number }) => id).toSorted(),
    [ada.id, ben.id, bot.id].toSorted(),
  )
  assert.deepEqual(left['removed'], ['design'])
})

test('gozulipbot continues after a heartbeat, and fails when its API key is no longer valid', async () => {
  const chat = await startChat()
  const ada = await chat.user('ada')
  const bot = await chat.user('bot', { botType: BotType.generic, owner: ada })
  const poll = (queue: string, id: number) =>
    send(chat, {
      method: 'GET',
      path: `/api/v1/events?${new URLSearchParams({ queue_id: queue, last_event_id: String(id) })}`,
      as: bot,
      headers: form,
    })
  const { queue_id, last_event_id } = await bot.succeed('POST /register', { event_types: ['message'] })

  const waiting = poll(queue_id, last_event_id)
  await waitUntilPolling(bot)
  await chat.clock.advance(60)
  const [heartbeat] = (await waiting)['events']
  const later = poll(queue_id, heartbeat.id)
  await ada.succeed(`DELETE /bots/${bot.id}`)

  assert.deepEqual([heartbeat.type, Number.isInteger(heartbeat.id)], ['heartbeat', true])
  assert.ok((await later).status >= 400)
})
