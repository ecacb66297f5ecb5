import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { signIn } from '../../test/browser.ts'
import { type Body, type Chat, type Person, startChat } from '../../test/harness.ts'
import { JSON_BODY } from './body/json-body.ts'

const JSON_TYPE = { 'content-type': JSON_BODY }

async function sendJson(
  chat: Chat,
  userId: Person,
  route: string,
  body: unknown,
  headers: Record<string, string> = JSON_TYPE,
): Promise<Body> {
  const [method = '', path = ''] = route.split(' ')
  const authorization = `Basic ${Buffer.from(`${userId.email}:${userId.apiKey}`).toString('base64')}`
  const response = await chat.request({
    method,
    path: `/api/v1${path}`,
    headers: { host: 'parley.test', authorization, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { ...JSON.parse(response.body), status: response.status }
}

async function startJson() {
  const chat = await startChat()
  const [ada, ben] = [await chat.user('ada', { role: Role.owner }), await chat.user('ben')]
  return { chat, ada, ben, design: await chat.channel('design', [ada, ben]) }
}

test('presence, invitations, messages and unsubscribing take parameters in a JSON body', async () => {
  const { chat, ada, ben, design } = await startJson()

  const presence = await sendJson(chat, ada, 'POST /users/me/presence', { status: 'active', ping_only: true })
  const invited = await sendJson(chat, ada, 'POST /invites', {
    invitee_emails: 'cleo@example.com',
    stream_ids: [design.id],
    invite_expires_in_minutes: null,
  })
  const sent = await sendJson(chat, ada, 'POST /messages', {
    type: 'channel',
    to: design.id,
    topic: 'tea',
    content: '"5"',
  })
  const edited = await sendJson(chat, ada, `PATCH /messages/${sent['id']}`, { content: '[true]' })
  const events = await sendJson(chat, ada, 'POST /messages', { type: 'direct', to: [ben.id], content: 'psst' })
  const left = await sendJson(chat, ben, 'DELETE /users/me/subscriptions', { subscriptions: ['design'] })

  for (const { result, msg } of [presence, invited, sent, edited, events]) assert.equal(result, 'success', msg)
  const { message } = await ada.succeed(`GET /messages/${sent['id']}`, { apply_markdown: false })
  assert.equal(message.content, '[true]')
  assert.deepEqual(left['removed'], ['design'])
})

test('parameters in a JSON body are checked like those of a form, and refused in the same words', async () => {
  const { chat, ada } = await startJson()
  const cases: [route: string, params: Record<string, unknown>][] = [
    ['POST /users/me/presence', {}],
    ['POST /users/me/presence', { status: 'active', ping_only: 1 }],
    ['POST /users/me/presence', { status: 'active', last_update_id: [] }],
    ['POST /users/me/presence', { status: 'active', last_update_id: null }],
    ['DELETE /users/me/subscriptions', { subscriptions: [1] }],
    ['DELETE /users/me/subscriptions', { subscriptions: [[[[[[[[['deep']]]]]]]]] }],
    ['DELETE /users/me/subscriptions', { subscriptions: Array.from({ length: 1001 }, () => 'a') }],
    ['POST /invites', { invitee_emails: 'cleo@example.com', stream_ids: [{}] }],
  ]

  for (const [route, params] of cases) {
    const inForm = await ada.call(route, params)
    assert.equal(inForm.status, 400, route)
    assert.deepEqual(await sendJson(chat, ada, route, params), inForm)
  }
})

test('a JSON body contains text as strings, and lists and numbers as JSON values', async () => {
  const { chat, ada, design } = await startJson()
  const message = { type: 'channel', to: 'design', topic: 'tea' }

  const number = await sendJson(chat, ada, 'POST /messages', { ...message, content: 5 })
  const nothing = await sendJson(chat, ada, 'POST /messages', { ...message, topic: null, content: 'Hi' })
  const string = await sendJson(chat, ada, 'DELETE /users/me/subscriptions', { subscriptions: '["design"]' })
  const either = await sendJson(chat, ada, `PATCH /streams/${design.id}`, { message_retention_days: 'unlimited' })
  const fraction = await sendJson(chat, ada, 'POST /users/me/presence', '{"status":"active","last_update_id":5.0}')

  assert.deepEqual([number.status, number.msg], [400, 'content is not a string'])
  assert.deepEqual([nothing.status, nothing.msg], [400, 'topic is not a string'])
  assert.deepEqual([string.status, string.msg], [400, 'subscriptions is not a list'])
  assert.equal(either.result, 'success', either.msg)
  assert.equal(fraction.msg, 'last_update_id is not an integer')
})

test('a value in a JSON body takes precedence over the query, and unknown names are reported', async () => {
  const { chat, ada } = await startJson()

  const response = await sendJson(chat, ada, 'POST /users/me/presence?status=nonsense&ping_only=true', {
    status: 'idle',
    zeal: { high: 1 },
    method: 'DELETE',
  })

  assert.equal(response.result, 'success', response.msg)
  assert.deepEqual(response['ignored_parameters_unsupported'], ['method', 'zeal'])
})

test('a malformed JSON body is refused, and an empty one has no parameters', async () => {
  const { chat, ada } = await startJson()

  const malformed = await sendJson(chat, ada, 'POST /users/me/presence', '{"status":"active"')
  const list = await sendJson(chat, ada, 'POST /users/me/presence', '["active"]')
  const empty = await sendJson(chat, ada, 'POST /users/me/presence', '')
  const inGet = await sendJson(chat, ada, 'GET /users/me', '[')

  assert.deepEqual([malformed.status, malformed.msg], [400, 'The JSON body is malformed: it ends within the object'])
  assert.deepEqual([list.status, list.msg], [400, 'The JSON body is malformed: it is not an object'])
  assert.deepEqual([empty.status, empty.code], [400, 'REQUEST_VARIABLE_MISSING'])
  assert.equal(inGet.status, 200)
})

test('only a body that is declared as JSON is read as JSON', async () => {
  const { chat, ada } = await startJson()
  const send = (type: string) =>
    sendJson(chat, ada, 'POST /users/me/presence', { status: 'active' }, { 'content-type': type })

  assert.equal((await send('Application/vnd.Parley+JSON; charset=utf-8')).status, 200)
  for (const type of [
    'application/json',
    'text/plain',
    'text/json',
    'application/json-seq',
    `text/plain; ${JSON_BODY}`,
    '',
  ])
    assert.equal((await send(type)).code, 'REQUEST_VARIABLE_MISSING', type)
})

test('a JSON body needs the CSRF token of its session like a form', async () => {
  const { chat, ben } = await startJson()
  const browser = await signIn(chat, ben)
  const [session] = browser.cookies.values()
  const send = async (path: string, headers: Record<string, string>) => {
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = JSON.stringify({ subscriptions: ['design'] })
    const response = await chat.request({
      method: 'DELETE',
      path,
      headers: { host: 'parley.test', cookie, ...headers },
      body,
    })
    return JSON.parse(response.body).code
  }
  assert.ok(session)

  assert.equal(await send('/json/users/me/subscriptions', JSON_TYPE), 'CSRF_FAILED')
  assert.equal(await send('/json/users/me/subscriptions', { ...JSON_TYPE, 'x-csrftoken': 'guessed' }), 'CSRF_FAILED')
  const elsewhere = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const type of [JSON_BODY, 'text/plain'])
    assert.equal(await send('/json/users/me/subscriptions', { 'content-type': type, ...elsewhere }), 'CSRF_FAILED')
  const { subscriptions } = await ben.succeed('GET /users/me/subscriptions')
  assert.equal(subscriptions.length, 1)
})

test('a JSON body has the same limit as a form', async () => {
  const { chat, ada } = await startJson()

  const long = await sendJson(chat, ada, 'POST /messages/render', { content: 'x'.repeat(1024 * 1024) })

  assert.deepEqual([long.status, long.code], [413, 'PAYLOAD_TOO_LARGE'])
})
