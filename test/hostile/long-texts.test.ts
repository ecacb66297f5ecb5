import assert from 'node:assert/strict'
import test from 'node:test'
import { api } from '#api.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { MAX_RESPONSE_BYTES } from '#lib/protocol.ts'
import { Role } from '#rules/role.ts'
import { type Body, type Chat, type Person, startChat } from '../harness.ts'
import { sendToChannel } from '../messages.ts'
import { isLong, sized } from '../size.ts'
import { containsText, exampleOf, neededParams, pathOf, schemaOf } from './plausible-params.ts'

/** The longest text from one user that the server returns: the content of a message. */
const MAX_LENGTH = 10_000

const LONG = 'x'.repeat(300_000)

/** Endpoints that would break the following calls. */
const SKIPPED = new Set(['POST /realm/deactivate', 'DELETE /users/me', 'POST /users/me/api_key/regenerate'])

async function startWorld() {
  const chat = await startChat()
  const eve = await chat.user('eve', { role: Role.owner })
  const [ben, spare] = [await chat.user('ben'), await chat.user('spare')]
  const general = await chat.channel('general', [eve, ben, spare])
  const messageId = await sendToChannel(eve, general)
  const queue = await ben.succeed('POST /register', { apply_markdown: true })
  const known = {
    type: 'channel',
    to: 'general',
    topic: 'tea',
    content: 'hello',
    message_id: messageId,
    stream_id: general.id,
    user_id: spare.id,
    user_id_or_email: spare.id,
    email: 'spare@example.com',
    op: 'add',
    flag: 'starred',
    narrow: [],
    anchor: 'newest',
    num_before: 1000,
    num_after: 1000,
    messages: [messageId],
    msg_ids: [messageId],
    msg_type: 'widget',
    members: [ben.id],
    subgroups: [],
    principals: [ben.id],
    emoji_name: 'tada',
    subscriptions: [{ name: 'general' }],
    field_type: 3,
    scheduled_delivery_timestamp: Math.floor(chat.clock.now()) + 3600,
  }
  return { chat, eve, ben, general, messageId, queue, known }
}

type RawResponse = { status: number; text: string; size: number }

/** Calls any endpoint as a POST request with the field `method`, because parameters may be too long for a URL. */
async function callAny(
  chat: Chat,
  person: Person,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  params: object,
): Promise<RawResponse> {
  const form = new URLSearchParams({ method })
  for (const [name, value] of Object.entries(params))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  const { status, body, bytes } = await chat.request({
    method: 'POST',
    path: `/api/v1${path}`,
    headers: {
      host: 'parley.test',
      authorization: `Basic ${btoa(`${person.email}:${person.apiKey}`)}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  })
  return { status, text: body, size: bytes.length }
}

/** Calls all GET endpoints and returns the responses by route. */
async function readEverything(
  chat: Chat,
  person: Person,
  known: Record<string, unknown>,
): Promise<Map<string, RawResponse>> {
  const responses = new Map<string, RawResponse>()
  for (const endpoint of api as readonly Endpoint[]) {
    if (endpoint.method !== 'GET' || endpoint.path === '/events') continue
    const call = { method: endpoint.method, path: pathOf(endpoint, known) }
    responses.set(`GET ${endpoint.path}`, await callAny(chat, person, call, neededParams(endpoint, known)))
  }
  responses.set('POST /register', await callAny(chat, person, { method: 'POST', path: '/register' }, {}))
  return responses
}

/** Returns all batches of events in the queue. */
async function readEvents(person: Person, queue: Body): Promise<Body[]> {
  const batches: Body[] = []
  for (let last = queue['last_event_id']; ; ) {
    const poll = { queue_id: queue['queue_id'], last_event_id: last, dont_block: true }
    const batch = await person.succeed('GET /events', poll)
    if (batch['events'].length === 0) return batches
    batches.push(batch)
    last = batch['events'].at(-1).id
  }
}

const sizeOf = (response: Body) => Buffer.byteLength(JSON.stringify(response))

test('a string of 300,000 characters in any parameter is refused or never returned', async () => {
  const { chat, eve, ben, queue, known } = await startWorld()
  const text = LONG.slice(0, sized(30_000, LONG.length))
  const tooLong = 'x'.repeat(MAX_LENGTH + 1)

  for (const endpoint of api as readonly Endpoint[]) {
    const route = `${endpoint.method} ${endpoint.path}`
    if (SKIPPED.has(route)) continue
    const params = neededParams(endpoint, known)
    for (const [name, type] of Object.entries(endpoint.params)) {
      const value = exampleOf(schemaOf(type), text)
      if (!containsText(value, text)) continue
      const call = { method: endpoint.method, path: pathOf(endpoint, known) }
      // Some text parameters contain JSON.
      for (const param of typeof value === 'string' ? [value, JSON.stringify(value)] : [value]) {
        const response = await callAny(chat, eve, call, { ...params, [name]: param })
        assert.ok(response.status < 500, `${route}, ${name}: ${response.status}`)
        // The errors of invitations contain the addresses as they were sent.
        const isShort = route === 'POST /invites' || !response.text.includes(tooLong)
        assert.ok(isShort, `${route}, ${name}: the response repeats the text`)
      }
    }
  }

  for (const reader of [ben, eve]) {
    for (const [route, answer] of await readEverything(chat, reader, known)) {
      assert.ok(answer.status < 500, `${route}: ${answer.status}`)
      assert.ok(!answer.text.includes(tooLong), `${route} shows a text of more than ${MAX_LENGTH} characters`)
    }
  }
  for (const batch of await readEvents(ben, queue)) assert.ok(!containsText(batch['events'], tooLong))
})

/** Creates as much visible content as a member may, so that it exceeds the size of one response. */
async function createMuchContent(chat: Chat, eve: Person, channel: { name: string }, messageId: number): Promise<void> {
  const large = '👍'.repeat(5000)
  for (let turn = 0; turn < sized(22, 200); turn += 1)
    await sendToChannel(eve, channel, large, `topic ${turn} ${'😀'.repeat(40)}`)
  await chat.clock.advance(1)
  const edited = await sendToChannel(eve, channel, large)
  for (let turn = 0; turn < sized(3, 120); turn += 1)
    await eve.succeed(`PATCH /messages/${edited}`, { content: `${turn} ${large}` })

  const poll = await sendToChannel(eve, channel, '/poll Where to?')
  const question = JSON.stringify({ type: 'question', question: '"'.repeat(4900) })
  for (let turn = 0; turn < sized(45, 45); turn += 1)
    await eve.call('POST /submessage', { message_id: poll, msg_type: 'widget', content: question })
  for (const emoji_name of ['tada', 'heart', 'smile'])
    await eve.succeed(`POST /messages/${messageId}/reactions`, { emoji_name })

  for (let turn = 0; turn < sized(1, 11); turn += 1) {
    const subscriptions = Array.from({ length: sized(30, 100) }, (_, index) => ({
      name: `${turn} ${index} ${'ä'.repeat(50)}`,
      description: '&'.repeat(1024),
    }))
    const { status } = await eve.call('POST /users/me/subscriptions', { subscriptions })
    if (status === 200) continue
    await eve.call('POST /users/me/subscriptions', { subscriptions: subscriptions.map(({ name }) => ({ name })) })
  }
  for (let turn = 0; turn < sized(5, 101); turn += 1) {
    const group = { name: `group ${turn}`, description: '"'.repeat(1024), members: [eve.id], subgroups: [] }
    await eve.call('POST /user_groups/create', group)
  }
  for (let turn = 0; turn < sized(3, 101); turn += 1)
    await eve.call('POST /bots', { full_name: `${turn} ${'ö'.repeat(90)}`, short_name: `bot${turn}` })
}

test('no response or batch of events exceeds 8 MB or fails, whatever a member did before', async () => {
  const { chat, ben, general, messageId, queue, known } = await startWorld()
  const eve = await chat.user('mallory')
  await eve.succeed('POST /users/me/subscriptions', { subscriptions: [{ name: 'general' }] })

  await createMuchContent(chat, eve, general, messageId)

  const responses = await readEverything(chat, ben, known)
  for (const [route, response] of responses) {
    assert.ok(response.status < 500, `${route}: ${response.status}`)
    assert.ok(response.size <= MAX_RESPONSE_BYTES, `${route}: ${response.size} bytes`)
  }
  assert.ok(
    (responses.get('GET /messages')?.size ?? 0) > MAX_RESPONSE_BYTES / 2,
    'the list of messages was large enough for the test',
  )
  const batches = await readEvents(ben, queue)
  for (const batch of batches) assert.ok(sizeOf(batch) <= MAX_RESPONSE_BYTES, `${sizeOf(batch)} bytes`)
  assert.ok(batches.length > 1 || isLong)
})
