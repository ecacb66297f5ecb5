import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { api } from '../../server/api.ts'
import { openSession } from '../../server/people/sessions/open-session.ts'
import { csrfToken } from '../../server/people/sessions/session.ts'
import { BotType, Role } from '../../server/people/users/role.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import { sized } from '../size.ts'
import { type HostileRequest, hostileRequests } from './hostile-requests.ts'

const RUNS = sized(22, 110)
const REQUESTS_A_RUN = 200

async function makeCast(chat: Chat): Promise<Person[]> {
  const ada = await chat.user('ada', { role: Role.owner })
  const alice = await chat.user('alice')
  const cast = [
    ada,
    await chat.user('admin', { role: Role.administrator }),
    await chat.user('mod', { role: Role.moderator }),
    alice,
    await chat.user('bob', { settings: { email_address_visibility: 4 } }),
    await chat.user('gus', { role: Role.guest }),
    await chat.user('helper', { botType: BotType.generic, owner: alice }),
    await chat.user('hook', { botType: BotType.incomingWebhook, owner: alice }),
  ]
  await chat.channel('general', cast)
  await chat.channel('secret', [alice], { isPrivate: true, isHistoryShared: false })
  await alice.succeed('POST /messages', { type: 'channel', to: 'general', topic: 'hello', content: 'Hello **you**' })
  await alice.succeed('POST /messages', { type: 'channel', to: 'secret', topic: '', content: '/me is here' })
  await alice.succeed('POST /messages', { type: 'direct', to: [ada.id], content: 'psst' })
  return cast
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

/** What proves that it is one of the cast, by position; or a header as it stands, or nothing. */
async function proof(
  chat: Chat,
  cast: readonly Person[],
  { credentials, isInBrowser }: HostileRequest,
): Promise<Record<string, string>> {
  if (credentials === null) return {}
  if (typeof credentials === 'string') return { authorization: credentials }
  const person = cast[credentials] as Person
  if (!isInBrowser)
    return { authorization: `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}` }
  const { transaction, secret } = chat.app.services
  const { session, token } = await transaction((tx) => openSession(tx, person.id, { isKept: false }))
  return { cookie: `parley_session=${token}`, 'x-csrftoken': csrfToken(secret, session) }
}

async function send(chat: Chat, cast: readonly Person[], request: HostileRequest): Promise<void> {
  const { method } = request
  const { type, body } = encodeBody(request)
  const query = new URLSearchParams(request.query).toString()
  const root = request.isInBrowser ? '/json/' : '/api/v1/'
  const path = `${root}${request.path.slice(1)}`

  const answer = await chat.request({
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: {
      host: 'parley.test',
      ...(await proof(chat, cast, request)),
      ...(type !== undefined && { 'content-type': type }),
    },
    ...(body !== undefined && { body }),
  })

  assert(answer.status < 500, `${answer.status}: ${answer.body}`)
  if (method === 'HEAD' || answer.status === 204 || answer.status === 302) return
  // Steps upwards, `%2e%2e` too, are taken by whoever sends, and may lead to a page.
  if (!new URL(path, 'http://parley.test').pathname.startsWith(root)) return
  assert.equal(answer.headers['content-type'], 'application/json')
  const { result, msg, code } = JSON.parse(answer.body)
  if (answer.status === 200) assert.deepEqual([result, msg, code], ['success', '', undefined])
  else assert(result === 'error' && typeof msg === 'string' && typeof code === 'string', answer.body)
}

test('whatever arrives, the answer is a documented one and the server lives on', async (context) => {
  const runs = process.env['PARLEY_TEST_POSTGRES'] === undefined ? RUNS : Math.ceil(RUNS / 11)
  let sent = 0

  await fc.assert(
    fc.asyncProperty(
      fc.array(hostileRequests(api), { minLength: REQUESTS_A_RUN, maxLength: REQUESTS_A_RUN }),
      async (requests) => {
        const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
        const cast = await makeCast(chat)
        for (const request of requests) {
          await send(chat, cast, request)
          sent += 1
        }
        const probe = await chat.user('probe', { realm: await chat.organization('probe') })
        await probe.succeed('POST /users/me/presence', { status: 'active' })
      },
    ),
    // To shrink a run takes minutes; what went wrong names its endpoint.
    { numRuns: runs, endOnFailure: true },
  )

  context.diagnostic(`${sent} requests to ${api.length} endpoints`)
})
