import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { openSession, sessionCookieName } from '#people/sessions.ts'
import { Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../../test/harness.ts'
import { allowsLoopback, startWebhookReceiver, status } from '../../test/webhook-receiver.ts'

/** Returns a function that requests pages with a session of the person, without following redirects. */
async function browserOf(chat: Chat, person: Person) {
  const { token } = await chat.app.services.transaction((tx) => openSession(tx, person.id, { isKept: false }))
  const cookie = `${sessionCookieName(chat.settings)}=${token}`
  return async (path: string) => {
    const answer = await chat.request({ method: 'GET', path, headers: { host: 'parley.test', cookie } })
    return { ...answer, location: String(answer.headers['location'] ?? '') }
  }
}

const SECRET = 'the shared secret'

/** Starts a stand-in for a BigBlueButton server, and an organization that may use it. */
async function startWithBigBlueButton() {
  const server = await startWebhookReceiver()
  server.behave(
    status(200, '<response><returncode>SUCCESS</returncode><createTime>1700000000123</createTime></response>'),
  )
  const base = `http://127.0.0.1:${server.port}/bigbluebutton`
  const chat = await startChat({ settings: { BIG_BLUE_BUTTON_URL: base, BIG_BLUE_BUTTON_SECRET: SECRET } })
  return { chat, server, base, ada: await chat.user('ada', { role: Role.administrator }), ben: await chat.user('ben') }
}

/** Asserts that the address is a call of the API with a valid checksum. Returns its parameters. */
function paramsOf(name: string, address: string): Record<string, string> {
  const [, query = '', checksum] = new RegExp(`/bigbluebutton/api/${name}\\?(.*)&checksum=(.*)$`).exec(address) ?? []
  assert.equal(checksum, createHash('sha256').update(`${name}${query}${SECRET}`).digest('hex'), address)
  return Object.fromEntries(new URLSearchParams(query))
}

test('a link to a call on BigBlueButton creates the meeting, and lets its starter in as the moderator', async () => {
  const { chat, server, base, ada, ben } = await startWithBigBlueButton()
  const create = { meeting_name: "design > Ada's colours (new)!", voice_only: true }

  const { url } = await ada.succeed('GET /calls/bigbluebutton/create', create)
  assert.equal(server.received.length, 0)
  const adas = await (await browserOf(chat, ada))(url)
  const bens = await (await browserOf(chat, ben))(url)

  assert.match(url, /^\/calls\/bigbluebutton\/join\?bigbluebutton=[\w.-]+$/)
  const made = server.received.map(({ path }) => paramsOf('create', path))
  const id = made[0]?.['meetingID'] ?? ''
  assert.match(id, /^parley-\w{24}$/)
  const meeting = { meetingID: id, name: create.meeting_name, lockSettingsDisableCam: 'true' }
  assert.deepEqual(made, [meeting, meeting])
  assert.deepEqual([adas.status, bens.status], [302, 302])
  assert.ok(adas.location.startsWith(`${base}/api/join?`))
  assert.deepEqual(
    [paramsOf('join', adas.location), paramsOf('join', bens.location)],
    [
      { meetingID: id, role: 'MODERATOR', fullName: 'Ada', createTime: '1700000000123' },
      { meetingID: id, role: 'VIEWER', fullName: 'Ben', createTime: '1700000000123' },
    ],
  )
})

test('names of meetings have the length that BigBlueButton accepts', async () => {
  const { chat, server, ada } = await startWithBigBlueButton()
  const open = await browserOf(chat, ada)

  for (const name of ['x', ' ', '🦜'.repeat(100)])
    await open((await ada.succeed('GET /calls/bigbluebutton/create', { meeting_name: name })).url)

  const names = server.received.map(({ path }) => paramsOf('create', path)['name'])
  assert.deepEqual(names, ['Meeting x', 'Meeting', '🦜'.repeat(64)])
})

test('a changed link, and one of another organization, opens no meeting; without a session it leads to the login', async () => {
  const { chat, server, ada } = await startWithBigBlueButton()
  const other = await chat.organization('harbor')
  const eve = await chat.user('eve', { realm: other })
  const open = await browserOf(chat, ada)
  const foreign = await eve.succeed('GET /calls/bigbluebutton/create', { meeting_name: 'harbor' })
  const { url } = await ada.succeed('GET /calls/bigbluebutton/create', { meeting_name: 'design' })
  const [payload = '', seal = ''] = url.split('=')[1].split('.')
  const changed = JSON.parse(Buffer.from(payload, 'base64url').toString())
  changed[3] = eve.id

  for (const sealed of [
    '',
    'x',
    payload,
    `${payload}.${seal.slice(1)}`,
    `${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${seal}`,
    foreign['url'].split('=')[1],
  ])
    assert.equal((await open(`/calls/bigbluebutton/join?bigbluebutton=${sealed}`)).status, 404, sealed)
  const anonymous = await chat.request({ method: 'GET', path: url, headers: { host: 'parley.test' } })

  assert.equal(anonymous.status, 302)
  assert.match(String(anonymous.headers['location']), /^\/login\/\?next=%2Fcalls%2Fbigbluebutton%2Fjoin/)
  assert.equal(server.received.length, 0)
})

test('a BigBlueButton server that refuses, breaks off, floods or redirects leads to a page that says what to do', async () => {
  const { chat, server, ada } = await startWithBigBlueButton()
  const { url } = await ada.succeed('GET /calls/bigbluebutton/create', { meeting_name: 'design' })
  const open = await browserOf(chat, ada)
  const answers: [string, (response: ServerResponse) => void][] = [
    [
      'secret',
      status(200, '<response><returncode>FAILED</returncode><messageKey>checksumError</messageKey></response>'),
    ],
    ['respond', status(200, '<response><returncode>FAILED</returncode></response>')],
    ['respond', status(500)],
    ['respond', status(200, '<returncode>SUCCESS</returncode><createTime>&x=javascript:alert(1)</createTime>')],
    ['respond', status(302, '', { location: 'https://example.com/' })],
    ['respond', (response) => void response.destroy()],
    ['respond', status(200, 'x'.repeat(2 * 1024 * 1024))],
  ]

  for (const [advice, behavior] of answers) {
    server.behave(behavior)
    const { status: code, body } = await open(url)
    assert.equal(code, 502)
    assert.match(body, new RegExp(advice))
    assert.ok(!body.includes(SECRET))
  }
})

test('closing the server ends the requests to other services', async () => {
  const { chat, server, ada } = await startWithBigBlueButton()
  server.behave(() => {})
  const { url } = await ada.succeed('GET /calls/bigbluebutton/create', { meeting_name: 'design' })
  const page = (await browserOf(chat, ada))(url)
  while (server.received.length === 0) await new Promise((wait) => setImmediate(wait))

  chat.app.services.outside.close()

  assert.equal((await page).status, 502)
})

test('providers of calls are offered and accepted only if the operator has configured them', async () => {
  const { chat, ada } = await startWithBigBlueButton()
  const { realm_available_video_chat_providers: offered } = await ada.succeed('POST /register')
  await ada.succeed('PATCH /realm', { video_chat_provider: 4 })
  chat.settings.BIG_BLUE_BUTTON_URL = ''

  const refused = await ada.call('PATCH /realm', { video_chat_provider: 4 })
  const create = await ada.call('GET /calls/bigbluebutton/create', { meeting_name: 'design' })
  const join = await (await browserOf(chat, ada))('/calls/bigbluebutton/join?bigbluebutton=x')

  assert.deepEqual(offered, {
    disabled: { id: 0, name: 'None' },
    jitsi_meet: { id: 1, name: 'Jitsi Meet' },
    big_blue_button: { id: 4, name: 'BigBlueButton' },
  })
  assert.deepEqual([refused.status, refused.msg], [400, 'Invalid video_chat_provider 4'])
  assert.deepEqual([create.status, create.msg], [400, 'BigBlueButton is not configured.'])
  assert.equal(join.status, 404)
})

type ZoomRequest = { path: string; headers: Record<string, unknown>; body: string }

/** Starts a stand-in for Zoom, which accepts every code and creates meetings, and an organization that may use it. */
async function startWithZoom() {
  const server = await startWebhookReceiver()
  let count = 0
  const behave = (other: (request: ZoomRequest) => { code: number; body: unknown } | undefined = () => undefined) =>
    server.behave((response, request) => {
      count += 1
      const grant = { access_token: `access-${count}`, refresh_token: `refresh-${count}`, expires_in: 3600 }
      const { code, body } =
        other(request) ??
        (request.path === '/oauth/token'
          ? { code: 200, body: grant }
          : { code: 201, body: { join_url: 'https://example.zoom.us/j/123?pwd=abc' } })
      response.writeHead(code).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  behave()
  const origin = `http://127.0.0.1:${server.port}`
  const chat = await startChat({
    settings: { ...allowsLoopback, VIDEO_ZOOM_CLIENT_ID: 'parley', VIDEO_ZOOM_CLIENT_SECRET: 'its secret' },
    serviceOrigins: { zoom: origin, zoomApi: origin },
  })
  return { chat, server, origin, behave, ada: await chat.user('ada'), ben: await chat.user('ben') }
}

type Zoom = Awaited<ReturnType<typeof startWithZoom>>

/** Connects the person's account at Zoom. Returns the page that they see last. */
async function connect({ chat }: Pick<Zoom, 'chat'>, person: Person) {
  const open = await browserOf(chat, person)
  const state = new URL((await open('/calls/zoom/register')).location).searchParams.get('state') ?? ''
  return open(`/calls/zoom/complete?code=the+code&state=${state}`)
}

const zoomEvents = async (chat: Chat, person: Person) =>
  (await chat.eventsOf(person)).filter(({ type }) => type === 'has_zoom_token').map(({ value }) => value)

test('a user connects Zoom once, and then starts calls in their account there', async () => {
  const zoom = await startWithZoom()
  const { chat, server, origin, ada, ben } = zoom
  const open = await browserOf(chat, ada)

  const before = await ada.call('POST /calls/zoom/create')
  const asked = new URL((await open('/calls/zoom/register')).location)
  const page = await connect(zoom, ada)
  const video = await ada.succeed('POST /calls/zoom/create')
  const voice = await ada.succeed('POST /calls/zoom/create', { is_video_call: false })

  assert.equal(before.code, 'INVALID_ZOOM_ACCESS_TOKEN')
  assert.equal(asked.origin + asked.pathname, `${origin}/oauth/authorize`)
  assert.equal(asked.searchParams.get('redirect_uri'), 'http://parley.test/calls/zoom/complete')
  assert.equal(page.status, 200)
  assert.match(page.body, /Zoom is connected/)
  const [exchange, first, second] = server.received
  assert.equal(exchange?.headers['authorization'], `Basic ${Buffer.from('parley:its secret').toString('base64')}`)
  assert.deepEqual(Object.fromEntries(new URLSearchParams(exchange?.body)), {
    grant_type: 'authorization_code',
    code: 'the code',
    redirect_uri: 'http://parley.test/calls/zoom/complete',
  })
  assert.deepEqual([first?.path, first?.headers['authorization']], ['/v2/users/me/meetings', 'Bearer access-1'])
  assert.deepEqual(
    [first, second].map((one) => JSON.parse(one?.body ?? '').settings),
    [
      { host_video: true, participant_video: true },
      { host_video: false, participant_video: false },
    ],
  )
  assert.deepEqual([video['url'], voice['url']], Array(2).fill('https://example.zoom.us/j/123?pwd=abc'))
  assert.deepEqual(await zoomEvents(chat, ada), [true])
  assert.equal((await ada.succeed('POST /register')).has_zoom_token, true)
  assert.equal((await ben.succeed('POST /register')).has_zoom_token, false)
})

test('tokens of Zoom are stored encrypted, and are renewed before they expire, once even for simultaneous calls', async () => {
  const zoom = await startWithZoom()
  const { chat, server, ada } = zoom
  await connect(zoom, ada)
  const [stored] = await chat.app.services.db.selectFrom('zoomTokens').select('tokens').execute()
  await chat.clock.advance(3550)

  await Promise.all([ada.succeed('POST /calls/zoom/create'), ada.succeed('POST /calls/zoom/create')])

  const text = Buffer.from(stored?.tokens ?? '', 'base64url').toString('latin1') + stored?.tokens
  assert.ok(!/access|refresh/.test(text))
  const [, renewal, ...meetings] = server.received
  assert.deepEqual(Object.fromEntries(new URLSearchParams(renewal?.body)), {
    grant_type: 'refresh_token',
    refresh_token: 'refresh-1',
  })
  assert.deepEqual(
    meetings.map(({ path, headers }) => [path, headers['authorization']]),
    Array(2).fill(['/v2/users/me/meetings', 'Bearer access-2']),
  )
})

test('tokens that Zoom no longer accepts are deleted, and so are those of deactivated accounts', async () => {
  const zoom = await startWithZoom()
  const { chat, behave, ada, ben } = zoom
  const cleo = await chat.user('cleo', { role: Role.administrator })
  for (const person of [ada, ben, cleo]) await connect(zoom, person)

  behave(({ path }) => (path === '/oauth/token' ? undefined : { code: 401, body: { code: 124 } }))
  const revoked = await ada.call('POST /calls/zoom/create')
  behave(({ path }) => (path === '/oauth/token' ? { code: 400, body: { error: 'invalid_grant' } } : undefined))
  await chat.clock.advance(3600)
  const notRenewed = await cleo.call('POST /calls/zoom/create')
  await cleo.succeed(`DELETE /users/${ben.id}`)

  assert.deepEqual([revoked.code, notRenewed.code], Array(2).fill('INVALID_ZOOM_ACCESS_TOKEN'))
  assert.deepEqual([await zoomEvents(chat, ada), await zoomEvents(chat, cleo)], Array(2).fill([true, false]))
  assert.deepEqual(await chat.app.services.db.selectFrom('zoomTokens').selectAll().execute(), [])
})

test('the answer of Zoom counts only in the session that asked, for a quarter of an hour', async () => {
  const zoom = await startWithZoom()
  const { chat, server, ada, ben } = zoom
  const open = await browserOf(chat, ada)
  const stateIn = async (visit: typeof open) =>
    new URL((await visit('/calls/zoom/register')).location).searchParams.get('state') ?? ''
  const bens = await stateIn(await browserOf(chat, ben))
  const ofOtherSession = await stateIn(await browserOf(chat, ada))
  const own = await stateIn(open)
  const codes: [string, number][] = []
  const visit = async (query: string) => codes.push([query, (await open(`/calls/zoom/complete?${query}`)).status])

  for (const state of ['', 'x', bens, ofOtherSession, `${own}x`]) await visit(`code=x&state=${state}`)
  await visit(`error=access_denied&state=${own}`)
  await chat.clock.advance(901)
  await visit(`code=x&state=${own}`)
  const anonymous = await chat.request({
    method: 'GET',
    path: `/calls/zoom/complete?code=x&state=${await stateIn(open)}`,
    headers: { host: 'parley.test' },
  })

  for (const [query, code] of codes) assert.equal(code, 400, query)
  assert.equal(anonymous.status, 400)
  assert.equal(server.received.length, 0)
  assert.deepEqual(await zoomEvents(chat, ada), [])
})

test('Zoom sends users to the root organization, from which they return to their own', async () => {
  const { chat } = await startWithZoom()
  const harbor = await chat.organization('harbor')
  const eve = await chat.user('eve', { realm: harbor })
  const { token } = await chat.app.services.transaction((tx) => openSession(tx, eve.id, { isKept: false }))
  const cookie = `${sessionCookieName(chat.settings)}=${token}`
  const visit = async (host: string, path: string, headers: Record<string, string> = {}) => {
    const answer = await chat.request({ method: 'GET', path, headers: { host, ...headers } })
    return { status: answer.status, location: String(answer.headers['location'] ?? '') }
  }
  const { location } = await visit('harbor.parley.test', '/calls/zoom/register', { cookie })
  const state = new URL(location).searchParams.get('state') ?? ''

  const back = await visit('parley.test', `/calls/zoom/complete?code=x&state=${state}`)
  const invented = Buffer.from(JSON.stringify([harbor.id, 1e12, 'x'])).toString('base64url')
  const guess = await visit('parley.test', `/calls/zoom/complete?code=x&state=${invented}.x`)
  const path = back.location.replace('http://harbor.parley.test', '')
  const done = await visit('harbor.parley.test', path, { cookie })

  assert.equal(new URL(location).searchParams.get('redirect_uri'), 'http://parley.test/calls/zoom/complete')
  assert.deepEqual([guess.status, guess.location], [400, ''])
  assert.match(back.location, /^http:\/\/harbor\.parley\.test\/calls\/zoom\/complete\?code=x&state=/)
  assert.equal(done.status, 200)
  assert.equal((await eve.succeed('POST /register')).has_zoom_token, true)
})

test('answers of Zoom that are too large, broken off, redirected or malicious start no call', async () => {
  const zoom = await startWithZoom()
  const { chat, server, behave, ada } = zoom
  await connect(zoom, ada)
  const links = [
    ...['javascript:alert(1)', 'http://zoom.us/j/1', 'https://zoom.us.evil.example/j/1', 'https://a@zoom.us/j/1'],
    ...['https://evilzoom.us/j/1', 'not a link', `https://zoom.us/${'a'.repeat(2000)}`, 17, null],
  ]
  const bodies: (readonly [number, unknown])[] = [
    ...links.map((join_url) => [201, { join_url }] as const),
    ...([
      [201, 'not JSON'],
      [201, 'x'.repeat(2 * 1024 * 1024)],
      [400, { code: 4711 }],
      [429, ''],
      [500, ''],
    ] as const),
  ]

  for (const [code, body] of bodies) {
    behave(() => ({ code, body }))
    const answer = await ada.call('POST /calls/zoom/create')
    assert.equal(answer.msg.startsWith('Zoom did not start a call.'), true, JSON.stringify(body).slice(0, 80))
  }
  server.behave((response) => void response.destroy())
  assert.equal((await ada.call('POST /calls/zoom/create')).status, 400)
  behave(() => ({ code: 201, body: { join_url: 'https://zoom.us/j/1?a=)[x](https://b.example' } }))
  const { url } = await ada.succeed('POST /calls/zoom/create')
  assert.equal(url, 'https://zoom.us/j/1?a=%29[x]%28https://b.example')
  for (const access_token of ['a\r\nb', '', 'a b', 17]) {
    behave(() => ({ code: 200, body: { access_token, refresh_token: 'x', expires_in: 3600 } }))
    assert.equal((await connect({ chat }, ada)).status, 502, String(access_token))
  }
  assert.equal((await ada.succeed('POST /register')).has_zoom_token, true)
})
