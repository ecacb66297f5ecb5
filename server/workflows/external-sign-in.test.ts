import assert from 'node:assert/strict'
import { createDecipheriv } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { findUser } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { Role } from '#rules/role.ts'
import { type Browser, openBrowser, PASSWORD, submitPassword } from '../../test/browser.ts'
import { type Chat, type Person, type StartOptions, startChat } from '../../test/harness.ts'
import { CLIENT, type IdentityProvider, signInFileWith, startIdentityProvider } from '../../test/identity-provider.ts'
import { applyGroups } from './external-sign-in.ts'

/** Starts a server whose operator has declared a provider, and opens a browser. */
async function start(changes: object = {}, options: StartOptions = {}) {
  const provider = await startIdentityProvider()
  const settings = { SIGN_IN_FILE: signInFileWith(provider, changes), ...options.settings }
  const chat = await startChat({ ...options, settings })
  return { provider, chat, browser: openBrowser(chat) }
}

/** Begins a sign-in and returns the address at the provider to which the browser is sent. */
async function begin(chat: Chat, browser: Browser, path = '/accounts/login/social/sso'): Promise<string> {
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: 'parley.test', ...(cookie !== '' && { cookie }) }
  const answer = await chat.request({ method: 'GET', path, headers })
  assert.equal(answer.status, 302, answer.body)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(answer.headers['set-cookie'])) ?? []
  browser.cookies.set(name, value)
  return String(answer.headers['location'])
}

async function signIn(
  { provider, chat, browser }: { provider: IdentityProvider; chat: Chat; browser: Browser },
  path?: string,
) {
  return browser.open(provider.approve(await begin(chat, browser, path)))
}

async function enterPassword({ email }: Person, browser: Browser) {
  await browser.open('/login/')
  await browser.submit({ email, password: PASSWORD })
}

const isSignedIn = (browser: Browser) => browser.cookies.has('parley_session')

test('a new person signs in, gets an account by the rules of the organization, and is known the next time', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const ben = await chat.user('ben')

  await signIn(world)

  assert.ok(isSignedIn(browser))
  const { members } = await ben.succeed('GET /users')
  const ada = members.find((member: { full_name: string }) => member.full_name === 'Ada Lovelace')
  assert.equal(ada.delivery_email, 'ada@example.com')
  const [form] = provider.tokenRequests
  assert.equal(form?.get('redirect_uri'), 'http://parley.test/complete/sso/')

  browser.cookies.clear()
  provider.claims = { ...provider.claims, email: 'other@example.com' }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.user_id)
  assert.equal((await browser.call('GET /users/me'))['delivery_email'], 'ada@example.com')
})

test('a picture whose address is not http or https is left out, and the user gets an account', async () => {
  const world = await start()
  await world.chat.change({ invite_required: false })

  for (const [index, picture] of ['data:image/png;base64,AAAA', 'ftp://example.com/a.png', 'none'].entries()) {
    world.browser.cookies.clear()
    world.provider.claims = { ...world.provider.claims, sub: `${index}`, email: `${index}@example.com`, picture }
    await signIn(world)
    assert.ok(isSignedIn(world.browser), picture)
  }
})

test('an uninvited person gets no account, and an invited one gets the role of the invitation', async () => {
  const world = await start()
  const { chat, browser } = world
  const owner = await chat.user('olga', { role: Role.owner })

  const refused = await signIn(world)
  assert.equal(refused.status, 403)
  assert.match(refused.text, /You need an invitation/)
  assert.ok(!isSignedIn(browser))

  await owner.succeed('POST /invites', {
    invitee_emails: 'ada@example.com',
    invite_as: Role.moderator,
    stream_ids: [],
    include_realm_default_subscriptions: false,
  })
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['role'], Role.moderator)
})

test('an account with the same address is connected only after its owner signed in', async () => {
  const world = await start()
  const { chat, browser } = world
  const ada = await chat.user('ada')

  const asked = await signIn(world)
  assert.match(asked.text, /You already have an account/)
  assert.ok(!isSignedIn(browser))
  const login = await browser.open(/\/login\/\?\S+?(?=")/.exec(asked.body)?.[0].replaceAll('&amp;', '&') ?? '')
  assert.match(login.text, /Sign in to connect Example SSO to your account\./)
  assert.doesNotMatch(login.text, /Continue with/)
  assert.match((await openBrowser(chat).open(login.path)).text, /Welcome back.*Continue with/)

  await browser.open(asked.path)
  await browser.submit()
  const mail = (await chat.mail()).at(-1)
  assert.deepEqual(mail?.to, ['ada@example.com'])
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec(mail?.text ?? '') ?? []
  const stranger = openBrowser(chat)
  assert.equal((await stranger.open(link)).status, 404, 'the link works only in the browser in which it began')
  await browser.open(link)
  await browser.submit()
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)
  assert.equal((await browser.open(link)).status, 404, 'the link works once')

  browser.cookies.clear()
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)
})

test('a session that was left open connects no account, and users are told about each connection', async () => {
  const world = await start()
  const { chat, browser } = world
  const ada = await chat.user('ada')
  await submitPassword(chat, ada)
  await enterPassword(ada, browser)
  await chat.clock.advance(3600)

  const asked = await signIn(world)
  assert.doesNotMatch(asked.text, /can sign in to/)
  assert.match(asked.text, /You signed in to .* a while ago/)
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  await browser.open(link)
  await browser.submit()

  assert.match((await chat.mail()).at(-1)?.subject ?? '', /can now sign in to your account/)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)
})

test('with passwords turned off, sign-up pages and invitations offer the other methods alone', async () => {
  const world = await start()
  const { chat, browser } = world
  const owner = await chat.user('olga', { role: Role.owner })
  await chat.change({ invite_required: false, authentication_methods: { Email: false } })
  const { invite_link } = await owner.succeed('POST /invites/multiuse', { invite_as: Role.moderator })
  const path = new URL(invite_link).pathname

  const pages = [await browser.open('/register/'), await browser.open(path)]
  const key = path.split('/')[2] ?? ''
  const answers = []
  for (const [at, form] of [
    ['/register/', { email: 'eve@example.com' }],
    ['/accounts/register/', { key, email: 'eve@example.com', full_name: 'Eve', password: 'three green bicycles' }],
  ] as const)
    answers.push(
      await chat.request({
        method: 'POST',
        path: at,
        headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      }),
    )

  for (const { text } of pages) assert.match(text, /Continue with/)
  for (const { body, headers } of answers) {
    assert.match(body, /Continue with/)
    assert.equal(headers['set-cookie'], undefined)
  }
  assert.equal((await chat.mail()).length, 0)
  await signIn(world, `/accounts/login/social/sso?invitation=${key}`)
  assert.equal((await browser.call('GET /users/me'))['role'], Role.moderator)
})

test('of two providers that claim one address, the second has to be connected as well', async () => {
  const world = await start()
  const other = await startIdentityProvider()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  chat.settings.SIGN_IN_FILE.providers.push({ ...signInFileWith(other).providers[0]!, id: 'other' })
  await signIn(world)
  browser.cookies.clear()

  other.claims = { ...provider.claims, sub: 'somebody-else' }
  const asked = await browser.open(other.approve(await begin(chat, browser, '/accounts/login/social/other')))

  assert.match(asked.text, /You already have an account/)
  assert.ok(!isSignedIn(browser))
})

test('with another issuer under the same id, nobody signs in to accounts of the old one, and what had begun ends', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  const other = await startIdentityProvider()
  await chat.change({ invite_required: false })
  const ben = await chat.user('ben')
  await signIn(world)
  const ada = (await browser.call('GET /users/me'))['user_id']
  browser.cookies.clear()
  provider.claims = { ...provider.claims, sub: 'ben-1', email: ben.email }
  const linking = await signIn(world)
  assert.match(linking.text, /You already have an account/)
  const begun = provider.approve(await begin(chat, browser))
  const [declared] = chat.settings.SIGN_IN_FILE.providers

  chat.settings.SIGN_IN_FILE.providers = [{ ...declared!, issuer: other.issuer }]

  assert.equal((await browser.submit()).status, 404, 'a connection that waited')
  assert.equal((await browser.open(begun)).status, 404, 'a sign-in that had begun')
  other.claims = { ...other.claims, email: 'eve@example.com', name: 'Eve' }
  await signIn({ chat, browser, provider: other })
  const eve = await browser.call('GET /users/me')
  assert.equal(eve['delivery_email'], 'eve@example.com')
  assert.notEqual(eve['user_id'], ada)

  browser.cookies.clear()
  other.claims = { ...other.claims, sub: 'ada-2', email: 'ada@example.com' }
  assert.match((await signIn({ chat, browser, provider: other })).text, /You already have an account/)
  chat.settings.SIGN_IN_FILE.providers = [declared!]
  provider.claims = { ...provider.claims, sub: 'ada-1', email: 'ada@example.com' }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada, 'the old issuer again')
})

test('an identity that was stored without its issuer counts for the verified address of the account, or once confirmed', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  const { db, transaction } = chat.app.services
  await chat.change({ invite_required: false })
  await signIn(world)
  const ada = (await browser.call('GET /users/me'))['user_id']
  await transaction((tx) => tx.updateTable('externalIdentities').set({ issuer: null }).execute())

  browser.cookies.clear()
  provider.claims = { ...provider.claims, email: 'eve@example.com' }
  assert.match((await signIn(world)).text, /ada@example\.com belongs to an account/)
  assert.ok(!isSignedIn(browser))

  browser.cookies.clear()
  provider.claims = { ...provider.claims, email: 'Ada@example.com' }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada)
  const rows = await db.selectFrom('externalIdentities').select(['userId', 'issuer']).execute()
  assert.deepEqual(rows, [{ userId: ada, issuer: provider.issuer }])
})

test('a role that a sign-in gives counts when it asks whether a second factor is required', async () => {
  const world = await start({ groups_claim: 'groups', roles: { admins: 'administrator' } })
  const { chat, browser, provider } = world
  await chat.change({
    invite_required: false,
    second_factor_required_for: 'administrators',
    second_factor_grace_days: 0,
  })
  provider.moreClaims = { groups: [] }
  await signIn(world)
  assert.ok(isSignedIn(browser))
  browser.cookies.clear()
  provider.moreClaims = { groups: ['admins'] }

  const asked = await signIn(world)

  assert.equal(asked.path, '/login/second-factor/')
  assert.ok(!isSignedIn(browser))
})

test('users disconnect an account of another service unless it is their only way to sign in', async () => {
  const world = await start()
  const { chat, browser } = world
  await chat.change({ invite_required: false })
  const ben = await chat.user('ben')
  await signIn(world)
  const listed = await browser.call('GET /users/me/connected_accounts')
  const [{ id, ...connected }] = listed['connected_accounts']
  const only = await browser.call(`DELETE /users/me/connected_accounts/${id}`)
  const foreign = await ben.call(`DELETE /users/me/connected_accounts/${id}`)
  const { user_id: userId } = await browser.call('GET /users/me')
  await submitPassword(chat, { id: userId })

  const disconnected = await browser.call(`DELETE /users/me/connected_accounts/${id}`)

  const now = Math.floor(chat.clock.now())
  assert.deepEqual(connected, { service: 'Example SSO', is_offered: true, connected_at: now, last_used_at: now })
  assert.match(only.msg ?? '', /You sign in with this account alone/)
  assert.equal(foreign.msg, 'No such connected account')
  assert.equal(disconnected.status, 200)
  browser.cookies.clear()
  assert.match((await signIn(world)).text, /You already have an account/)
})

test('people without a password create keys and change their address for ten minutes after a sign-in', async () => {
  const world = await start()
  const { chat, browser } = world
  await chat.change({ invite_required: false })
  await signIn(world)
  const address = { email: 'new@example.com' }

  const created = await browser.call('POST /users/me/api_keys', { name: 'shell' })
  const authorization = `Basic ${Buffer.from(`ada@example.com:${created['api_key']}`).toString('base64')}`
  const byKey = await chat.request({
    method: 'POST',
    path: '/api/v1/users/me/api_keys',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'name=another',
  })
  await chat.clock.advance(601)
  const late = [
    await browser.call('POST /users/me/api_keys', { name: 'late' }),
    await browser.call('POST /users/me/api_keys', { name: 'late', password: PASSWORD }),
    await browser.call('PATCH /settings', address),
  ]
  const again = await browser.open('/login/?again=1&next=/settings/api-keys')
  await signIn(world, '/accounts/login/social/sso?next=/settings/api-keys')
  const fresh = [
    await browser.call('POST /users/me/api_keys', { name: 'fresh' }),
    await browser.call('PATCH /settings', address),
  ]

  assert.equal(created.status, 200)
  assert.equal(JSON.parse(byKey.body).code, 'REAUTHENTICATION_REQUIRED')
  assert.deepEqual(
    late.map(({ status, code }) => [status, code]),
    late.map(() => [400, 'REAUTHENTICATION_REQUIRED']),
  )
  assert.match(again.text, /Sign in again to confirm.*Continue with Example SSO/)
  assert.deepEqual(
    fresh.map(({ status }) => status),
    [200, 200],
  )
  const { api_keys } = await browser.call('GET /users/me/api_keys')
  assert.deepEqual(api_keys.map(({ client }: { client: string }) => client).toSorted(), ['fresh', 'shell'])
  assert.equal((await browser.call('PATCH /settings', { old_password: '', new_password: PASSWORD })).status, 400)
})

test('addresses that are not verified, and tokens that are forged, sign nobody in', async () => {
  const logged: unknown[] = []
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const honest = provider.sign
  const now = Math.floor(Date.now() / 1000)
  const strangers = await startIdentityProvider()
  const forgeries: Record<string, IdentityProvider['sign']> = {
    unsigned: async (payload) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
      return `${part({ alg: 'none' })}.${part(payload)}.`
    },
    'signed with the client secret': (payload) =>
      new SignJWT(payload).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.clientSecret.padEnd(32, '.'))),
    'signed with another key': (payload) => provider.signWithKey(payload).sign(strangers.key()),
    'for another client': (payload) => honest({ ...payload, aud: 'another' }),
    'of another issuer': (payload) => honest({ ...payload, iss: strangers.issuer }),
    'with another nonce': (payload) => honest({ ...payload, nonce: 'another' }),
    'without a nonce': ({ nonce: _, ...payload }) => honest(payload),
    expired: (payload) => honest({ ...payload, iat: now - 900, exp: now - 600 }),
    'not text': async () => 'nonsense',
  }
  for (const [name, sign] of Object.entries(forgeries)) {
    provider.sign = sign
    const page = await signIn(world)
    logged.push(page.status)
    assert.equal(page.status, 502, name)
    assert.match(page.text, /could not be verified/, name)
    assert.ok(!isSignedIn(browser), name)
  }

  provider.sign = ({ iat = 0, exp = 0, ...payload }) => honest({ ...payload, iat: iat - 330, exp: exp - 330 })
  await signIn(world)
  assert.ok(isSignedIn(browser), 'clocks may differ by a minute')

  browser.cookies.clear()
  provider.sign = honest
  provider.claims = { sub: 'eve', email: 'eve@example.com', email_verified: false }
  const page = await signIn(world)
  assert.match(page.text, /did not confirm your email address/)
  assert.ok(!isSignedIn(browser))
})

test('where the operator trusts all addresses of the provider, one that it calls unverified still does not count', async () => {
  const world = await start({ addresses_are_verified: true })
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })

  provider.claims = { sub: 'eve', email: 'eve@example.com', email_verified: false }
  assert.match((await signIn(world)).text, /did not confirm your email address/)
  assert.ok(!isSignedIn(browser))

  provider.claims = { sub: 'eve', email: 'eve@example.com' }
  await signIn(world)
  assert.ok(isSignedIn(browser))
})

test('an answer counts once, in the browser and for the provider with which the sign-in began, for ten minutes', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })

  const stolen = provider.approve(await begin(chat, openBrowser(chat)))
  assert.equal((await browser.open(stolen)).status, 404, 'in another browser')

  const answer = provider.approve(await begin(chat, browser))
  assert.equal((await browser.open(answer.replace('/sso/', '/other/'))).status, 404, 'of another provider')
  await browser.open(answer)
  assert.ok(isSignedIn(browser))
  browser.cookies.delete('parley_session')
  assert.equal((await browser.open(answer)).status, 404, 'a second time')

  const late = provider.approve(await begin(chat, browser))
  await chat.clock.advance(601)
  assert.equal((await browser.open(late)).status, 404, 'too late')

  const forged = provider.approve(await begin(chat, browser), { state: 'forged' })
  assert.equal((await browser.open(forged)).status, 404, 'with another state')
  const mixed = provider.approve(await begin(chat, browser), { iss: 'http://evil.test' })
  assert.equal((await browser.open(mixed)).status, 502, 'of another issuer')
  assert.ok(!isSignedIn(browser))
})

test('a provider that is down, talks nonsense or was left says what to do; new keys are found', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const path = '/accounts/login/social/sso'

  provider.answers.set('/.well-known/openid-configuration', { status: 500, body: 'down' })
  assert.equal((await browser.open(path)).status, 502)
  provider.answers.set('/.well-known/openid-configuration', { body: '<html>', type: 'text/html' })
  assert.equal((await browser.open(path)).status, 502)
  provider.answers.set('/.well-known/openid-configuration', { body: JSON.stringify({ issuer: 'http://evil.test' }) })
  assert.equal((await browser.open(path)).status, 502)
  provider.answers.clear()

  const cancelled = provider.approve(await begin(chat, browser), { error: 'access_denied', code: undefined })
  assert.match((await browser.open(cancelled)).text, /You stopped the sign-in/)

  for (const body of ['[]', '{', '{"access_token":"x","token_type":"bearer"}']) {
    provider.answers.set('/token', { body })
    assert.equal((await signIn(world)).status, 502, body)
  }
  for (const body of ['down', '{"error":"server_error"}']) {
    provider.answers.set('/token', { status: 503, body })
    assert.match((await signIn(world)).text, /does not respond/, body)
  }
  provider.answers.clear()
  assert.ok(!isSignedIn(browser))

  await signIn(world)
  await provider.rotateKeys()
  browser.cookies.clear()
  await signIn(world)
  assert.ok(isSignedIn(browser), 'the new keys are found')
})

test('after the sign-in, the browser goes to pages of this server only', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  await signIn(world)
  for (const next of ['https://evil.test/', '//evil.test', '/\\evil.test', '/.//evil.test']) {
    const answer = provider.approve(
      await begin(chat, browser, `/accounts/login/social/sso?next=${encodeURIComponent(next)}`),
    )
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const { headers } = await chat.request({ method: 'GET', path: answer, headers: { host: 'parley.test', cookie } })
    assert.equal(headers['location'], '/', next)
  }
})

test('groups of the provider give user groups and roles by the mapping, and take them', async () => {
  const world = await start({
    groups_claim: 'groups',
    groups: { engineers: 'Engineering', everyone: 'Staff' },
    roles: { admins: 'administrator', staff: 'member' },
  })
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const owner = await chat.user('olga', { role: Role.owner })
  const groupIds: Record<string, number> = {}
  for (const name of ['Engineering', 'Staff', 'Others'])
    groupIds[name] = (await owner.succeed('POST /user_groups/create', { name, description: '', members: [] }))[
      'group_id'
    ]
  const membersOf = async (name: string) =>
    (await owner.succeed(`GET /user_groups/${groupIds[name]}/members`))['members'] as number[]

  provider.moreClaims = { groups: ['engineers', 'admins', 'unknown'] }
  await signIn(world)
  const { user_id: id, role } = await browser.call('GET /users/me')
  assert.equal(role, Role.administrator)
  assert.deepEqual(await membersOf('Engineering'), [id])
  const { entries } = await owner.succeed('GET /audit_log', { limit: 200 })
  for (const kind of ['role_changed', 'group_members_changed'])
    assert.partialDeepStrictEqual(
      (entries as { kind: string }[]).find((entry) => entry.kind === kind),
      { origin: 'directory', actor_id: null, client: 'Example SSO', network_address: null },
    )
  assert.partialDeepStrictEqual(
    (entries as { kind: string }[]).find((entry) => entry.kind === 'login'),
    { details: { by: 'Example SSO' } },
  )

  browser.cookies.clear()
  provider.moreClaims = { groups: ['everyone', 'staff'] }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['role'], Role.member)
  assert.deepEqual([await membersOf('Engineering'), await membersOf('Staff')], [[], [id]])
})

test('groups make and remove owners only by a mapping of the operator, and the last owner stays', async () => {
  const chat = await startChat()
  const [olga, otto] = [await chat.user('olga', { role: Role.owner }), await chat.user('otto', { role: Role.owner })]
  const roleAfter = ({ id }: Person, isOwners: boolean, role: 'owner' | 'member') =>
    chat.app.services.transaction(async (tx) => {
      const user = (await findUser(tx.db, id)) as User
      const method = { displayName: 'SSO', isOwners, roles: { staff: role } }
      return (await applyGroups(tx, chat.realm, method, user, { groups: ['staff'] })).role
    })

  assert.equal(await roleAfter(otto, true, 'member'), Role.owner)
  assert.equal(await roleAfter(otto, false, 'member'), Role.member)
  assert.equal(await roleAfter(olga, false, 'member'), Role.owner)
  assert.equal(await roleAfter(otto, true, 'owner'), Role.member)
  assert.equal(await roleAfter(otto, false, 'owner'), Role.owner)
})

test('mobile and desktop apps get what only they can decrypt', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const otp = 'a5'.repeat(32)

  const answer = provider.approve(await begin(chat, browser, `/accounts/login/social/sso?mobile_flow_otp=${otp}`))
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const { headers } = await chat.request({ method: 'GET', path: answer, headers: { host: 'parley.test', cookie } })
  const link = new URL(String(headers['location']))
  assert.equal(link.protocol, 'zulip:')
  assert.equal(link.host, 'login')
  assert.deepEqual(
    [link.searchParams.get('realm'), link.searchParams.get('email')],
    ['http://parley.test', 'ada@example.com'],
  )
  const encrypted = Buffer.from(link.searchParams.get('otp_encrypted_api_key') ?? '', 'hex')
  const key = Buffer.from(encrypted.map((byte) => byte ^ 0xa5)).toString()
  const authorization = `Basic ${Buffer.from(`ada@example.com:${key}`).toString('base64')}`
  const me = await chat.request({ method: 'GET', path: '/api/v1/users/me', headers: { authorization } })
  assert.equal(JSON.parse(me.body).user_id, Number(link.searchParams.get('user_id')))
  assert.ok(!isSignedIn(browser))

  const page = await signIn(world, `/accounts/login/social/sso?desktop_flow_otp=${otp}`)
  const data = Buffer.from(/value="([0-9a-f]{60,})"/.exec(page.body)?.[1] ?? '', 'hex')
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(otp, 'hex'), data.subarray(0, 12))
  decipher.setAuthTag(data.subarray(-16))
  const token = Buffer.concat([decipher.update(data.subarray(12, -16)), decipher.final()]).toString()
  const app = openBrowser(chat)
  await app.open(`/accounts/login/subdomain/${token}`)
  assert.ok(!isSignedIn(app), 'an app that did not begin the sign-in has to confirm')
  await app.submit()
  assert.ok(isSignedIn(app))
  assert.equal((await openBrowser(chat).open(`/accounts/login/subdomain/${token}`)).status, 404)

  for (const wrong of ['mobile_flow_otp=abc', `mobile_flow_otp=${otp}&desktop_flow_otp=${otp}`])
    assert.equal((await browser.open(`/accounts/login/social/sso?${wrong}`)).status, 400)
})

test('a provider logs people out with a signed token, once', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await chat.change({ invite_required: false })
  const now = Math.floor(Date.now() / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const payload = {
    iss: provider.issuer,
    aud: CLIENT.client_id,
    sub: 'ada-1',
    iat: now,
    exp: now + 120,
    jti: '1',
    events,
  }
  const send = async (token: string) =>
    (
      await chat.request({
        method: 'POST',
        path: '/accounts/logout/social/sso/',
        headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ logout_token: token }).toString(),
      })
    ).status

  const token = await provider.signWithKey(payload).sign(provider.key())
  await signIn(world)
  // Rows that were stored before the issuer was count, too: an extra logout does no harm.
  await chat.app.services.transaction((tx) => tx.updateTable('externalIdentities').set({ issuer: null }).execute())
  assert.equal(await send(token), 200)
  assert.equal((await browser.call('GET /users/me')).status, 401)

  await signIn(world)
  assert.equal(await send(token), 200, 'the provider may repeat its request')
  assert.equal((await browser.call('GET /users/me')).status, 200, 'which does nothing')

  const wrong = [
    { ...payload, jti: '2', aud: 'another' },
    { ...payload, jti: '3', iss: 'http://evil.test' },
    { ...payload, jti: '4', exp: now - 120, iat: now - 600 },
    { ...payload, jti: '5', events: {} },
    { ...payload, jti: '6', nonce: 'an ID token' },
  ]
  for (const one of wrong) assert.equal(await send(await provider.signWithKey(one).sign(provider.key())), 400, one.jti)
  assert.equal((await browser.call('GET /users/me')).status, 200)
})

test('owners turn passwords off only after another method has worked for them', async () => {
  const world = await start()
  const { chat, browser } = world
  const owner = await chat.user('olga', { role: Role.owner, email: 'ada@example.com' })
  const administrator = await chat.user('ben', { role: Role.administrator })
  const off = { authentication_methods: { Email: false } }

  assert.equal((await administrator.call('PATCH /realm', off)).msg, 'Must be an organization owner')
  assert.match((await owner.call('PATCH /realm', off)).msg, /Sign in once with another method/)
  assert.equal((await owner.call('PATCH /realm', { authentication_methods: { Telepathy: true } })).status, 400)

  await signIn(world)
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  await browser.open(link)
  await browser.submit()
  await owner.succeed('PATCH /realm', off)

  const event = (await chat.eventsOf(owner)).at(-1)
  assert.deepEqual(event?.['data'], {
    authentication_methods: {
      Email: { enabled: false, available: true },
      'OpenID Connect': { enabled: true, available: true },
    },
  })
  const answer = await owner.call('POST /fetch_api_key', { username: owner.email, password: 'x' })
  assert.equal(answer.code, 'PASSWORD_AUTH_DISABLED')
  const { authentication_methods: methods, external_authentication_methods: external } =
    await owner.succeed('GET /server_settings')
  assert.deepEqual([methods.password, methods.email, methods['openid connect']], [false, false, true])
  assert.deepEqual(external, [
    {
      name: 'oidc:sso',
      display_name: 'Example SSO',
      display_icon: null,
      login_url: '/accounts/login/social/sso',
      signup_url: '/accounts/register/social/sso',
    },
  ])
  const login = await openBrowser(chat).open('/login/')
  assert.doesNotMatch(login.body, /type="password"/)
  assert.match(login.text, /Continue with Example SSO/)
  assert.match(
    (await owner.call('PATCH /realm', { authentication_methods: { 'OpenID Connect': false } })).msg ?? '',
    /^$/,
    'without another method, passwords count as enabled',
  )
})
