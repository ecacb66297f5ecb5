import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ownDatabaseUrl } from '../../../test/database.ts'
import { startTestServer } from '../test-server.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
type Json = Record<string, any>

const server = await startTestServer({ port: 0, database: (await ownDatabaseUrl()) ?? 'memory' })
after(() => server.close())

async function call(route: string, body?: object, user?: Json): Promise<Json> {
  const [method = '', path = ''] = route.split(' ')
  const isForm = path.startsWith('/api/')
  const response = await fetch(server.url + path, {
    method,
    headers: user
      ? { authorization: `Basic ${Buffer.from(`${user['email']}:${user['api_key']}`).toString('base64')}` }
      : {},
    ...(body && { body: isForm ? new URLSearchParams(body as Record<string, string>) : JSON.stringify(body) }),
  })
  return (await response.json()) as Json
}

const makeSample = () => call('POST /testing/organizations', { subdomain: '', preset: 'sample' })

await call('POST /testing/clock', { freeze: true })
let sample = await makeSample()

/** Returns all messages that a user may read in public channels. */
async function readAll(user: Json): Promise<Json[]> {
  const narrow = encodeURIComponent('[["channels","public"]]')
  const found = await call(
    `GET /api/v1/messages?anchor=newest&num_before=1000&num_after=0&narrow=${narrow}&apply_markdown=false`,
    undefined,
    user,
  )
  return found['messages']
}

test('the sample is an organization of a dozen people with several weeks of messages', async () => {
  const { users, channels } = sample

  const people = Object.values<Json>(users).filter((user) => !user['is_bot'])
  assert.equal(people.length, 13)
  assert.equal(users['alice'].full_name, 'Alice Bergmann')
  assert.deepEqual(Object.keys(channels).slice(6), [
    'announcements',
    'engineering',
    'builds',
    'design',
    'help',
    'kitchen',
    'hiring',
  ])
  const messages = await readAll(users['alice'])
  assert.ok(messages.length > 200, `${messages.length} messages`)
  const texts = messages.map((message) => message['content']).join('\n')
  for (const part of ['```sql', '@**Emil Novak**', '#**help>where things are**', '/poll ', 'https://example.com/'])
    assert.ok(texts.includes(part), part)
  assert.ok(messages.some((message) => message['reactions'].length >= 5))
  const times = messages.map((message) => message['timestamp'])
  assert.deepEqual(
    times,
    times.toSorted((one, other) => one - other),
  )
  assert.ok(times.at(-1) - times[0] > 20 * 86_400)
})

test('old messages are read, recent ones are unread, and everyone sees only their own conversations', async () => {
  const { users } = sample
  const state = async (name: string) => {
    const types = { fetch_event_types: '["message","update_message_flags","recent_private_conversations"]' }
    return call('POST /api/v1/register', types, users[name])
  }

  const alice = await state('alice')

  assert.ok(alice['unread_msgs'].count > 5 && alice['unread_msgs'].count < 60, alice['unread_msgs'].count)
  assert.equal(alice['unread_msgs'].pms.length, 1)
  assert.equal(alice['recent_private_conversations'].length, 4)
  assert.equal((await state('guest'))['recent_private_conversations'].length, 0)
})

test('some people are online, and others were online earlier', async () => {
  const { users } = sample

  const { presences, server_timestamp: now } = await call('GET /api/v1/realm/presence', undefined, users['alice'])

  const seen = Object.entries<Json>(presences).map(([email, { aggregated }]) => {
    return [email, `${aggregated.status} ${Math.floor((now - aggregated.timestamp) / 60)} minutes ago`]
  })
  assert.deepEqual(Object.fromEntries(seen), {
    'hanna@example.com': 'active 0 minutes ago',
    'bob@example.com': 'active 1 minutes ago',
    'carol@example.com': 'idle 1 minutes ago',
    'farah@example.com': 'active 30 minutes ago',
    'owner@example.com': 'active 200 minutes ago',
    'goran@example.com': 'active 2000 minutes ago',
  })
})

test('after a reset the sample has the same ids as before', async () => {
  const before = sample
  const messagesBefore = await readAll(before['users'].alice)
  await call('POST /testing/reset')

  sample = await makeSample()

  const idsOf = ({ organization, users, channels }: Json) => [
    organization.id,
    Object.values<Json>(users).map((user) => user['user_id']),
    Object.values<Json>(channels).map((channel) => channel['stream_id']),
  ]
  assert.deepEqual(idsOf(sample), idsOf(before))
  const toIdAndText = (message: Json) => [message['id'], message['content']]
  assert.deepEqual((await readAll(sample['users'].alice)).map(toIdAndText), messagesBefore.map(toIdAndText))
})

test('a test server returns the API key of any account, except for unknown and deactivated ones', async () => {
  const { users } = sample
  const keyOf = (username: string) => call('POST /api/v1/dev_fetch_api_key', { username })

  const answer = await keyOf('bob@example.com')

  assert.deepEqual(
    { ...answer, api_key: '' },
    {
      result: 'success',
      msg: '',
      api_key: '',
      email: 'bob@example.com',
      user_id: users['bob'].user_id,
    },
  )
  assert.match(answer['api_key'], /^[A-Za-z0-9]{32}$/)
  const profile = await call('GET /api/v1/users/me', undefined, answer)
  assert.equal(profile['full_name'], 'Bob Okafor')
  assert.equal((await keyOf('nobody@example.com'))['code'], 'AUTHENTICATION_FAILED')
  assert.equal((await keyOf('deactivated@example.com'))['code'], 'USER_DEACTIVATED')
})

test('a test API key comes with a session that creates a bot under /json, like the tests of go-zulip', async () => {
  const form = (fields: Record<string, string>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    return body
  }
  const signedIn = await fetch(`${server.url}/api/v1/dev_fetch_api_key?username=alice@example.com`, { method: 'POST' })
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
  const token = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.slice('csrftoken='.length) ?? ''
  const makeBot = async (short_name: string, headers: Record<string, string>): Promise<Json> => {
    const body = form({ full_name: 'Robot', short_name, bot_type: '1' })
    const response = await fetch(`${server.url}/json/bots`, { method: 'POST', headers, body })
    return { status: response.status, ...((await response.json()) as Json) }
  }

  const made = await makeBot('robot', { cookie: cookies.join('; '), 'x-csrftoken': token })
  const withoutToken = await makeBot('others', { cookie: cookies.join('; ') })

  const bot = await call('GET /api/v1/users/me', undefined, { email: 'robot-bot@localhost', ...made })
  assert.deepEqual([made.status, bot['user_id'], bot['is_bot']], [200, made['user_id'], true], JSON.stringify(made))
  assert.deepEqual([withoutToken.status, withoutToken['code']], [403, 'CSRF_FAILED'])
})

test('invalid settings leave nothing of the sample behind', async () => {
  const request = { subdomain: 'later', preset: 'sample', settings: { no_such_setting: 1 } }

  const refused = await call('POST /testing/organizations', request)
  const made = await call('POST /testing/organizations', { ...request, settings: {} })

  assert.equal(refused['msg'], "There is no organization setting 'no_such_setting'.")
  assert.equal(made['organization'].subdomain, 'later')
})

test('the sample has all its messages under any settings', async () => {
  const usual = await readAll(sample['users'].alice)
  const settings = { direct_message_permission_group: 'role:nobody', presence_disabled: true, deactivated: true }
  await call('POST /testing/reset')

  const made = await call('POST /testing/organizations', { subdomain: '', preset: 'sample', settings })

  await call(`PATCH /testing/organizations/${made['organization'].id}`, { deactivated: false })
  const said = await readAll(made['users'].alice)
  assert.deepEqual([said.length, said.length > 100], [usual.length, true])
})
