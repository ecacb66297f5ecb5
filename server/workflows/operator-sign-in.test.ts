import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { parseNetwork } from '#lib/public-address.ts'
import { type JwtSettings, noSignInFile, type ProxySettings } from '#lib/sign-in-file.ts'
import { newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { Role } from '#rules/role.ts'
import { type Chat, startChat } from '../../test/harness.ts'

const proxy: ProxySettings = {
  name: undefined,
  groups: undefined,
  roles: undefined,
  header: 'x-remote-user',
  nameHeader: 'x-remote-name',
  groupsHeader: null,
  networks: [parseNetwork('10.0.0.0/8')!],
  appendDomain: null,
  organizations: null,
  createsAccounts: true,
}

const startWithProxy = (changes: Partial<ProxySettings> = {}, settings: object = {}) =>
  startChat({ settings: { SIGN_IN_FILE: { ...noSignInFile, proxy: { ...proxy, ...changes } }, ...settings } })

/** Opens a page through the proxy, which adds the headers; returns the status, the target, and the session. */
async function open(
  chat: Chat,
  headers: Record<string, string>,
  { from = '10.1.2.3', path = '/accounts/login/sso/' } = {},
) {
  const answer = await chat.request({
    method: 'GET',
    path,
    headers: { host: 'parley.test', ...headers },
    remoteAddress: from,
  })
  const cookies = [answer.headers['set-cookie'] ?? []].flat().map(String)
  const session = cookies.find((line) => line.startsWith('parley_session='))
  return {
    status: answer.status,
    location: answer.headers['location'],
    isSignedIn: session !== undefined,
    body: answer.body,
  }
}

test('people whom the proxy names are signed in, by their address or by a name with a domain', async () => {
  const chat = await startWithProxy()
  await chat.user('ada')

  const begun = await open(chat, {}, { path: '/accounts/login/start/sso/?next=/%23recent' })
  const signedIn = await open(chat, { 'x-remote-user': 'ADA@example.com' }, { path: String(begun.location) })
  const mapped = await open(chat, { 'x-remote-user': 'ada@example.com' }, { from: '::ffff:10.9.9.9' })
  const appending = await startWithProxy({ appendDomain: 'example.com' })
  await appending.user('ada')
  const named = await open(appending, { 'x-remote-user': 'ada' })
  const address = await open(appending, { 'x-remote-user': 'ada@example.com' })

  assert.equal(begun.location, '/accounts/login/sso/?next=%2F%23recent')
  assert.deepEqual([signedIn.status, signedIn.location, signedIn.isSignedIn], [302, '/#recent', true])
  assert.deepEqual([mapped.isSignedIn, named.isSignedIn], [true, true])
  assert.deepEqual(
    [address.status, address.isSignedIn],
    [403, false],
    'with a domain to append, addresses are no names',
  )
})

test('the header counts from the proxy alone, wherever clients say that they come from', async () => {
  const chat = await startWithProxy({}, { TRUST_X_REAL_IP: true })
  const ada = await chat.user('ada')
  const header = { 'x-remote-user': ada.email }

  const refused = [
    await open(chat, header, { from: '192.0.2.1' }),
    await open(chat, { ...header, 'x-real-ip': '10.1.2.3', 'x-forwarded-for': '10.1.2.3' }, { from: '192.0.2.1' }),
    await open(chat, header, { from: '2002:a00:1::1' }),
    await open(chat, header, { from: '' }),
    await open(chat, {}),
  ]
  const behind = await open(chat, { ...header, 'x-real-ip': '192.0.2.1' })
  const api = await chat.request({
    ...{ method: 'GET', path: '/api/v1/users/me', remoteAddress: '10.1.2.3' },
    headers: { host: 'parley.test', ...header },
  })

  for (const { status, isSignedIn } of refused) assert.deepEqual([status, isSignedIn], [403, false])
  assert.ok(behind.isSignedIn, 'the address of the client does not matter')
  assert.equal(api.status, 401)
})

test('names that are no single address sign nobody in', async () => {
  const chat = await startWithProxy()
  for (const name of ['ada', 'eve', 'bot']) await chat.user(name)
  const values = [
    'ada@example.com, eve@example.com',
    'ada@example.com eve@example.com',
    'ada@example.com\t',
    '"ada"@example.com',
    'ada',
    '@example.com',
    Buffer.from('adä@example.com').toString('latin1'),
    'ad\xe4@example.com',
    `${'a'.repeat(300)}@example.com`,
  ]

  for (const value of values) {
    const { status, isSignedIn } = await open(chat, { 'x-remote-user': value })
    assert.deepEqual([status, isSignedIn], [403, false], value)
  }
})

test('two headers with the name, or a header of two lines, sign nobody in', async () => {
  const chat = await startWithProxy({ networks: [parseNetwork('127.0.0.1')!] })
  for (const name of ['ada', 'eve']) await chat.user(name)
  const { port } = await chat.app.http.listen({ host: '127.0.0.1', port: 0 })
  const send = async (...lines: string[]) => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `GET /accounts/login/sso/ HTTP/1.1\r\nhost: parley.test\r\nconnection: close\r\n${lines.join('\r\n')}\r\n\r\n`,
    )
    return (await text(socket)).split('\r\n\r\n')[0] ?? ''
  }

  const one = await send('X-Remote-User: ada@example.com')
  const two = await send('X-Remote-User: eve@example.com', 'x-remote-user: ada@example.com')
  const folded = await send('X-Remote-User: eve@example.com', '\tada@example.com')

  assert.match(one, /^HTTP\/1\.1 302 .*set-cookie: parley_session=/is)
  for (const head of [two, folded]) {
    assert.match(head, /^HTTP\/1\.1 40[03] /)
    assert.doesNotMatch(head, /set-cookie/i)
  }
})

test('new people join under the rules of the organization, and the groups of the proxy give roles and user groups', async () => {
  const chat = await startWithProxy({
    groupsHeader: 'x-remote-groups',
    groups: { eng: 'Engineering' },
    roles: { chiefs: 'administrator' },
  })
  const owner = await chat.user('olga', { role: Role.owner })
  await owner.succeed('POST /user_groups/create', { name: 'Engineering', description: '', members: [] })
  const headers = { 'x-remote-user': 'zoe@example.com', 'x-remote-name': Buffer.from('Zoë').toString('latin1') }

  const uninvited = await open(chat, headers)
  const { invite_link } = await owner.succeed('POST /invites/multiuse', { invite_as: Role.guest })
  const invitation = new URL(invite_link).pathname.split('/')[2]
  const begun = await open(chat, {}, { path: `/accounts/login/start/sso/?invitation=${invitation}` })
  const invited = await open(chat, { 'x-remote-user': 'ben@example.com' }, { path: String(begun.location) })
  await chat.change({ invite_required: false })
  const joined = await open(chat, { ...headers, 'x-remote-groups': 'eng, chiefs,other' })
  const { members } = await owner.succeed('GET /users')
  const { user_groups } = await owner.succeed('GET /user_groups')
  const closed = await startWithProxy({ createsAccounts: false })
  await closed.change({ invite_required: false })
  const notHere = await open(closed, headers)

  const zoe = members.find((member: { full_name: string }) => member.full_name === 'Zoë')
  const engineering = user_groups.find((group: { name: string }) => group.name === 'Engineering')
  assert.deepEqual([uninvited.status, uninvited.isSignedIn], [403, false])
  const ben = members.find((member: { delivery_email: string }) => member.delivery_email === 'ben@example.com')
  assert.deepEqual([invited.isSignedIn, ben.role], [true, Role.guest])
  assert.deepEqual([joined.isSignedIn, zoe.role], [true, Role.administrator])
  assert.deepEqual(engineering.members, [zoe.user_id])
  assert.deepEqual([notHere.status, notHere.isSignedIn], [403, false])
})

test('deactivated accounts and bots are refused, and apps and owners know the proxy as a method', async () => {
  const chat = await startWithProxy()
  const owner = await chat.user('olga', { role: Role.owner })
  const [ada, bot] = [await chat.user('ada'), await chat.user('bot', { botType: 1, owner })]
  await owner.succeed(`DELETE /users/${ada.id}`)

  const deactivated = await open(chat, { 'x-remote-user': ada.email })
  const asBot = await open(chat, { 'x-remote-user': bot.email })
  const { authentication_methods, external_authentication_methods } = await owner.succeed('GET /server_settings')
  const locked = await owner.call('PATCH /realm', { authentication_methods: { Email: false } })
  const otp = 'ab'.repeat(32)
  const mobile = await open(
    chat,
    { 'x-remote-user': owner.email },
    { path: `/accounts/login/sso/?mobile_flow_otp=${otp}` },
  )
  const app = await open(chat, { 'user-agent': 'ZulipElectron/5.11.0' }, { path: '/accounts/login/start/sso/' })
  const desktop = await open(
    chat,
    { 'x-remote-user': owner.email },
    { path: `/accounts/login/sso/?desktop_flow_otp=${otp}` },
  )
  const { providers } = await owner.succeed('GET /realm/sign_in_providers')
  const { transaction } = chat.app.services
  const signedInAs = (subject: string) =>
    transaction((tx) => tx.updateTable('externalIdentities').set({ subject }).execute())
  await signedInAs('before@example.com')
  const moved = await owner.call('PATCH /realm', { authentication_methods: { Email: false } })
  await signedInAs(owner.email)
  const unlocked = await owner.call('PATCH /realm', { authentication_methods: { Email: false } })
  await chat.change({ authentication_methods: { RemoteUser: false } })
  const off = await open(chat, { 'x-remote-user': owner.email })

  for (const answer of [deactivated, asBot]) assert.deepEqual([answer.status, answer.isSignedIn], [403, false])
  assert.equal(authentication_methods.remoteuser, true)
  assert.deepEqual(external_authentication_methods, [
    {
      name: 'remoteuser',
      display_name: 'Single sign-on',
      display_icon: null,
      login_url: '/accounts/login/start/sso/',
      signup_url: '/accounts/login/start/sso/',
    },
  ])
  assert.match(app.body, /href="\/accounts\/login\/start\/sso\/\?desktop_browser=[^"]*" data-desktop-flow/)
  assert.match(desktop.body, /Return to the app/)
  assert.match(String(mobile.location), /^zulip:\/\/login\?.*otp_encrypted_api_key=/)
  assert.deepEqual(
    [locked.status, moved.status, unlocked.status],
    [400, 400, 200],
    'the method has to work for an owner',
  )
  assert.deepEqual([off.status, off.isSignedIn], [404, false])
  assert.partialDeepStrictEqual(providers, [{ name: 'Single sign-on', method: 'RemoteUser', has_worked: true }])
})

test('the sign-in page, to which a logout leads, offers the proxy and signs nobody in by itself', async () => {
  const chat = await startWithProxy()
  const ada = await chat.user('ada')
  const { body: page, isSignedIn } = await open(chat, { 'x-remote-user': ada.email }, { path: '/login/' })

  assert.match(page, /href="\/accounts\/login\/start\/sso\/\?/)
  assert.match(page, /Continue with Single sign-on/)
  assert.ok(!isSignedIn)
})

const secret = createSecretKey(Buffer.from('a secret of at least 32 bytes, shared'))
const hs256: JwtSettings = {
  organization: '',
  key: secret,
  algorithms: ['HS256'],
  issuer: undefined,
  audience: undefined,
  origins: [],
  createsAccounts: true,
}

const startWithKeys = (...jwt: Partial<JwtSettings>[]) =>
  startChat({ settings: { SIGN_IN_FILE: { ...noSignInFile, jwt: jwt.map((one) => ({ ...hs256, ...one })) } } })

type Given = { claims?: JWTPayload; algorithm?: string; key?: KeyObject; lifetime?: number | null }

/** Returns a token for Ada that is valid for five minutes. */
function tokenFor(chat: Chat, { claims = {}, algorithm = 'HS256', key = secret, lifetime = 300 }: Given = {}) {
  const exp = lifetime === null ? {} : { exp: chat.clock.now() + lifetime }
  return new SignJWT({ email: 'ada@example.com', ...exp, ...claims }).setProtectedHeader({ alg: algorithm }).sign(key)
}

async function fetchKey(chat: Chat, token: string, params: Record<string, string> = {}) {
  const answer = await chat.request({
    ...{ method: 'POST', path: '/api/v1/jwt/fetch_api_key', body: String(new URLSearchParams({ token, ...params })) },
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
  })
  return { status: answer.status, ...JSON.parse(answer.body) }
}

test('a token gives an API key once, with the profile if it is wanted', async () => {
  const chat = await startWithKeys({})
  const ada = await chat.user('ada')
  const token = await tokenFor(chat)

  const first = await fetchKey(chat, token, { include_profile: 'true' })
  const [head, body, signature = ''] = token.split('.')
  const replayed = [await fetchKey(chat, token), await fetchKey(chat, `${head}.${body}.${signature}=`)]
  const plain = await fetchKey(chat, await tokenFor(chat, { claims: { jti: '2' } }))
  const authorization = `Basic ${Buffer.from(`${ada.email}:${plain.api_key}`).toString('base64')}`
  const used = await chat.request({
    ...{ method: 'GET', path: '/api/v1/users/me' },
    headers: { host: 'parley.test', authorization },
  })

  assert.deepEqual([first.email, first.user.user_id, first.user.delivery_email], [ada.email, ada.id, ada.email])
  for (const answer of replayed) assert.deepEqual([answer.status, answer.msg], [400, 'Bad JSON web token'])
  assert.deepEqual(Object.keys(plain).sort(), ['api_key', 'email', 'msg', 'result', 'status'])
  assert.equal(used.status, 200)
})

test('forged, expired, long-lived and wrongly signed tokens give nothing', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const chat = await startWithKeys({}, { key: rsa.publicKey, algorithms: ['RS256'] })
  await chat.user('ada')
  const now = chat.clock.now()
  const claims = { email: 'ada@example.com', exp: now + 300 }
  const pem = createSecretKey(Buffer.from(String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))))
  const valid = await tokenFor(chat)
  const [head = '', , signature = ''] = valid.split('.')
  const other = Buffer.from(JSON.stringify({ ...claims, email: 'eve@example.com' })).toString('base64url')
  const wrong: Record<string, string> = {
    'another key': await tokenFor(chat, { key: createSecretKey(Buffer.from('another secret of at least 32 bytes')) }),
    'another algorithm': await tokenFor(chat, { algorithm: 'HS512' }),
    'the public key as a secret': await tokenFor(chat, { key: pem }),
    'no signature': new UnsecuredJWT(claims).encode(),
    'the signature of another token': `${head}.${other}.${signature}`,
    'an expired token': await tokenFor(chat, { lifetime: -61 }),
    'no expiry': await tokenFor(chat, { lifetime: null }),
    'a long life': await tokenFor(chat, { lifetime: 3600 }),
    'a long life that is nearly over': await tokenFor(chat, { claims: { iat: now - 3000 } }),
    'a token for later': await tokenFor(chat, { claims: { nbf: now + 120 } }),
    nonsense: 'nonsense',
    'a long text': 'a'.repeat(20_000),
  }

  for (const [name, token] of Object.entries(wrong)) {
    const { status, msg } = await fetchKey(chat, token)
    assert.deepEqual([status, msg], [400, 'Bad JSON web token'], name)
  }
  const good = [valid, await tokenFor(chat, { key: rsa.privateKey, algorithm: 'RS256' })]
  for (const token of good) assert.equal((await fetchKey(chat, token)).status, 200)
})

test('a token counts in its own organization, for its audience and issuer, and for people with an active account', async () => {
  const elsewhere = createSecretKey(Buffer.from('the secret of another organization'))
  const chat = await startWithKeys(
    { issuer: 'https://portal.example.com', audience: 'parley' },
    { organization: 'other', key: elsewhere },
  )
  await chat.organization('other')
  const owner = await chat.user('olga', { role: Role.owner })
  const ada = await chat.user('ada')
  const bot = await chat.user('bot', { botType: 1, owner })
  const claims = { iss: 'https://portal.example.com', aud: 'parley' }
  const answer = async (given: Given) => {
    const { status, code, msg } = await fetchKey(chat, await tokenFor(chat, given))
    return [status, code, msg]
  }

  const bad = [400, 'BAD_REQUEST', 'Bad JSON web token']
  assert.deepEqual(await answer({ claims, key: elsewhere }), bad)
  assert.deepEqual(await answer({ claims: { ...claims, aud: 'another' } }), bad)
  assert.deepEqual(await answer({ claims: { ...claims, iss: 'https://eve.example.com' } }), bad)
  assert.deepEqual(await answer({ claims: { ...claims, email: undefined } }), [
    ...[400, 'BAD_REQUEST', 'No email specified in JSON web token claims'],
  ])
  for (const email of ['nobody@example.com', bot.email])
    assert.deepEqual((await answer({ claims: { ...claims, email } }))[1], 'AUTHENTICATION_FAILED')
  await owner.succeed(`DELETE /users/${ada.id}`)
  assert.deepEqual(await answer({ claims }), [401, 'USER_DEACTIVATED', 'Account is deactivated'])
  assert.deepEqual((await fetchKey(chat, ''))['msg'], 'No JSON web token passed in request')
  const without = await startChat()
  assert.equal((await fetchKey(without, 'x')).msg, 'JWT authentication is not enabled for this organization')
})

/** Sends a token to the sign-in page, as the form of another site does. */
async function submitToken(chat: Chat, token: string, origin: string) {
  const answer = await chat.request({
    ...{ method: 'POST', path: '/accounts/login/jwt/', body: String(new URLSearchParams({ token, next: '/#recent' })) },
    headers: {
      host: 'parley.test',
      'content-type': 'application/x-www-form-urlencoded',
      origin,
      'sec-fetch-site': 'cross-site',
    },
  })
  return { ...answer, isSignedIn: String(answer.headers['set-cookie']).includes('parley_session=') }
}

async function confirm(chat: Chat, key: string) {
  const { status, headers } = await chat.request({
    ...{ method: 'POST', path: '/accounts/login/jwt/confirm/', body: `key=${key}` },
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded', origin: 'http://parley.test' },
  })
  const isSignedIn = String(headers['set-cookie']).includes('parley_session=')
  return { status, location: headers['location'], isSignedIn }
}

test('a form of the portal signs in directly; other forms ask, because they can send a token of anyone', async () => {
  const chat = await startWithKeys({ origins: ['https://portal.example.com'] })
  await chat.user('ada')
  const token = await tokenFor(chat)
  const others = await tokenFor(chat, { claims: { jti: 'other' } })

  const direct = await submitToken(chat, token, 'https://portal.example.com')
  const replayed = await submitToken(chat, token, 'https://portal.example.com')
  const asked = await submitToken(chat, others, 'https://eve.example.com')
  const [, key = ''] = /name="key" value="([^"]*)"/.exec(asked.body) ?? []
  const confirmed = await confirm(chat, key)
  const again = await confirm(chat, key)

  assert.deepEqual([direct.status, direct.headers['location'], direct.isSignedIn], [302, '/#recent', true])
  assert.ok(!replayed.isSignedIn)
  assert.deepEqual([asked.status, asked.isSignedIn], [200, false])
  assert.match(asked.body, /You will be signed in as ada@example\.com/)
  assert.deepEqual([confirmed.status, confirmed.location, confirmed.isSignedIn], [302, '/#recent', true])
  assert.equal(again.status, 404)
})

test('a second factor is asked for after the proxy and after a token, but not of a program that gets an API key', async () => {
  const chat = await startChat({ settings: { SIGN_IN_FILE: { ...noSignInFile, proxy, jwt: [hs256] } } })
  const ada = await chat.user('ada')
  const { random, secret: key, transaction } = chat.app.services
  await transaction((tx) =>
    saveTotp(tx, { secret: key, random }, ada.id, { secret: newTotpSecret(random), lastStep: 0 }),
  )
  const origin = 'https://portal.example.com'

  const byProxy = await open(chat, { 'x-remote-user': ada.email })
  const page = await submitToken(chat, await tokenFor(chat), origin)
  const [, pending = ''] = /name="key" value="([^"]*)"/.exec(page.body) ?? []
  const byToken = await confirm(chat, pending)
  const byProgram = await fetchKey(chat, await tokenFor(chat, { claims: { jti: '2' } }))

  for (const answer of [byProxy, byToken])
    assert.deepEqual([answer.location, answer.isSignedIn], ['/login/second-factor/', false])
  assert.equal(byProgram.status, 200)
})
