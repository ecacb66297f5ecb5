import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api } from '#api.ts'
import { csrfToken, openSession } from '#people/sessions.ts'
import { BotType, Role } from '#rules/role.ts'
import { fc } from '../fast-check.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import { sized } from '../size.ts'
import { type HostileRequest, hostileRequests } from './hostile-requests.ts'

const RUNS = sized(22, 110)
const REQUESTS_PER_RUN = 200

async function createPeople(chat: Chat): Promise<Person[]> {
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  const people = [
    ada,
    await chat.user('admin', { role: Role.administrator }),
    await chat.user('mod', { role: Role.moderator }),
    alice,
    await chat.user('bob', { settings: { email_address_visibility: 4 } }),
    await chat.user('gus', { role: Role.guest }),
    await chat.user('helper', { botType: BotType.generic, owner: alice }),
    await chat.user('hook', { botType: BotType.incomingWebhook, owner: alice }),
  ]
  await chat.channel('general', people)
  await chat.channel('secret', [alice], { isPrivate: true, isHistoryShared: false })
  await alice.succeed('POST /messages', { type: 'channel', to: 'general', topic: 'hello', content: 'Hello **you**' })
  await alice.succeed('POST /messages', { type: 'channel', to: 'secret', topic: '', content: '/me is here' })
  await alice.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'psst' })
  return people
}

function encodeBody({ encoding, fields, raw }: HostileRequest): { type?: string; body?: string } {
  switch (encoding) {
    case 'form':
      return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(fields).toString() }
    case 'json':
      return { type: 'application/json', body: JSON.stringify(Object.fromEntries(fields)) }
    case 'raw':
      return { type: 'application/x-www-form-urlencoded', body: raw }
    case 'multipart': {
      const parts = fields.map(
        ([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      return { type: 'multipart/form-data; boundary=x', body: `${parts.join('')}--x--\r\n` }
    }
    case 'none':
      return {}
  }
}

/** Returns the headers that authenticate the request: of one of the people, or a literal header, or none. */
async function credentialHeaders(
  chat: Chat,
  people: readonly Person[],
  { credentials, isInBrowser }: HostileRequest,
): Promise<Record<string, string>> {
  if (credentials === null) return {}
  if (typeof credentials === 'string') return { authorization: credentials }
  const person = people[credentials] as Person
  if (!isInBrowser)
    return { authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}` }
  const { transaction, secret } = chat.app.services
  const { session, token } = await transaction((tx) => openSession(tx, person.id, { isKept: false }))
  return { cookie: `parley_session=${token}`, 'x-csrftoken': csrfToken(secret, session) }
}

/** The paths of endpoints whose responses are plain text. */
const TEXT_PATHS = api.flatMap(({ refusalToText, path }) => (refusalToText === null ? [] : [path]))

async function send(chat: Chat, people: readonly Person[], request: HostileRequest): Promise<void> {
  const { method } = request
  const { type, body } = encodeBody(request)
  const query = new URLSearchParams(request.query).toString()
  const root = request.isInBrowser ? '/json/' : '/api/v1/'
  const path = `${root}${request.path.slice(1)}`

  const response = await chat.request({
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      host: 'parley.test',
      ...(await credentialHeaders(chat, people, request)),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  })

  assert(response.status < 500, `${response.status}: ${response.body}`)
  if (method === 'HEAD' || response.status === 204 || response.status === 302) return
  // The client resolves `..` and `%2e%2e`, so the path may lead to a page outside the API.
  if (!new URL(path, 'http://parley.test').pathname.startsWith(root)) return
  if (response.headers['content-type'] === 'text/plain; charset=utf-8' && TEXT_PATHS.includes(request.path)) return
  assert.equal(response.headers['content-type'], 'application/json')
  const { result, msg, code } = JSON.parse(response.body)
  if (response.status === 200 && code !== 'UNSUPPORTED_WEBHOOK_EVENT_TYPE')
    assert.deepEqual([result, msg, code], ['success', '', undefined])
  else assert(result === 'error' && typeof msg === 'string' && typeof code === 'string', response.body)
}

test('hostile requests get documented responses and do not crash the server', async (context) => {
  const runs = process.env['PARLEY_TEST_POSTGRES'] === undefined ? RUNS : Math.ceil(RUNS / 11)
  let sent = 0

  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileRequests(api), { minLength: REQUESTS_PER_RUN, maxLength: REQUESTS_PER_RUN }),
      async (requests) => {
        const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
        const people = await createPeople(chat)
        for (const request of requests) {
          await send(chat, people, request)
          sent += 1
        }
        const probe = await chat.user('probe', { realm: await chat.organization('probe') })
        await probe.succeed('POST /users/me/presence', { status: 'active' })
      },
    ),
    // Shrinking takes minutes, and the failure names its endpoint anyway.
    { numRuns: runs, endOnFailure: true },
  )

  context.diagnostic(`${sent} requests to ${api.length} endpoints`)
})
