import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { readXml } from '#lib/xml.ts'
import { Role } from '#rules/role.ts'
import { type Browser, openBrowser, type View } from '../../test/browser.ts'
import { collectLog } from '../../test/collected-log.ts'
import { type Chat, type StartOptions, startChat } from '../../test/harness.ts'
import {
  type Logout,
  newSigningKeys,
  type SamlForm,
  type SamlIdentityProvider,
  samlFileWith,
  startSamlProvider,
} from '../../test/saml-provider.ts'

const HERE = 'http://parley.test'

type World = { chat: Chat; provider: SamlIdentityProvider; browser: Browser }

/** Starts a server that knows an identity provider, and opens a browser. Anyone may join. */
async function start(changes: Parameters<typeof samlFileWith>[1] = {}, options: StartOptions = {}): Promise<World> {
  const chat = await startChat(options)
  await chat.change({ invite_required: false })
  const provider = await startSamlProvider(() => chat.clock.now())
  chat.settings.SIGN_IN_FILE = samlFileWith(provider, changes)
  return { chat, provider, browser: openBrowser(chat) }
}

/** Begins a sign-in and returns the form with which the provider answers. */
async function begin({ chat, provider, browser }: World, path = '/accounts/login/social/corp'): Promise<SamlForm> {
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: 'parley.test', ...(cookie !== '' && { cookie }) }
  const answer = await chat.request({ method: 'GET', path, headers })
  assert.equal(answer.status, 302, answer.body)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(answer.headers['set-cookie'])) ?? []
  browser.cookies.set(name, value)
  return provider.visit(String(answer.headers['location']))
}

/** Submits a form of the provider as browsers do: without the cookies of this server. Then it follows the redirect. */
async function submit(
  { chat, browser }: Pick<World, 'chat' | 'browser'>,
  form: Omit<SamlForm, 'action'>,
): Promise<View> {
  const answer = await chat.request({
    method: 'POST',
    path: '/complete/saml/',
    headers: {
      host: 'parley.test',
      origin: 'https://idp.test',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ SAMLResponse: form.SAMLResponse, RelayState: form.RelayState }).toString(),
  })
  if (answer.status === 302) return browser.open(String(answer.headers['location']))
  const text = answer.body.replace(/<[^>]*>/g, ' ')
  return { status: answer.status, path: '/complete/saml/', headers: answer.headers, body: answer.body, text }
}

const signIn = async (world: World, path?: string) => submit(world, await begin(world, path))

const isSignedIn = (browser: Browser) => browser.cookies.has('parley_session')

test('a new person signs in, gets an account, and is known by the NameID the next time', async () => {
  const world = await start()
  const { browser, provider } = world

  await signIn(world)

  const me = await browser.call('GET /users/me')
  assert.deepEqual([me['delivery_email'], me['full_name']], ['ada@example.com', 'Ada Lovelace'])
  const [request] = provider.requests
  const root = readXml(request?.xml ?? '')
  assert.equal(root?.attributes.get('AssertionConsumerServiceURL'), `${HERE}/complete/saml/`)
  assert.equal(root?.attributes.get('Destination'), provider.signOnUrl)

  browser.cookies.clear()
  provider.answer = { attributes: { email: ['other@example.com'] } }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], me['user_id'])
  assert.equal((await browser.call('GET /users/me'))['delivery_email'], 'ada@example.com')
})

test('clients find the method among the others, and mobile apps get a key', async () => {
  const world = await start()
  const { chat, browser } = world
  const { body } = await chat.request({
    method: 'GET',
    path: '/api/v1/server_settings',
    headers: { host: 'parley.test' },
  })
  const { authentication_methods: methods, external_authentication_methods: external } = JSON.parse(body)
  assert.equal(methods['saml'], true)
  assert.deepEqual(external, [
    {
      name: 'saml:corp',
      display_name: 'Example Corp',
      display_icon: null,
      login_url: '/accounts/login/social/corp',
      signup_url: '/accounts/register/social/corp',
    },
  ])
  assert.match((await browser.open('/login/')).text, /Continue with Example Corp/)

  const form = await begin(world, `/accounts/login/social/corp?mobile_flow_otp=${'ab'.repeat(32)}`)
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await chat.request({
    method: 'POST',
    path: '/complete/saml/',
    headers,
    body: new URLSearchParams(form).toString(),
  })
  const path = String(posted.headers['location'])
  const last = await chat.request({ method: 'GET', path, headers: { host: 'parley.test', cookie } })
  assert.match(String(last.headers['location']), /^zulip:\/\/login\?/)
})

test('an account with the same address is connected only after its owner confirmed it', async () => {
  const world = await start()
  const { chat, browser } = world
  const ada = await chat.user('ada')

  assert.match((await signIn(world)).text, /You already have an account/)
  assert.ok(!isSignedIn(browser))
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  await browser.open(link)
  await browser.submit()
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)

  browser.cookies.clear()
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)
})

test('of two identity providers with one address and one NameID, the second has to be connected as well', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  await signIn(world)
  const second = await startSamlProvider(() => chat.clock.now())
  const [other] = samlFileWith(second, { id: 'second' }).saml
  chat.settings.SIGN_IN_FILE.saml.push(other!)
  browser.cookies.clear()

  const asked = await signIn({ ...world, provider: second }, '/accounts/login/social/second')
  assert.match(asked.text, /You already have an account/)
  assert.ok(!isSignedIn(browser))

  second.answer = { issuer: provider.entityId }
  assert.equal((await signIn({ ...world, provider: second }, '/accounts/login/social/second')).status, 502)
  const form = await begin({ ...world, provider: second }, '/accounts/login/social/second')
  provider.answer = { inResponseTo: second.requests.at(-1)?.id ?? '' }
  const mixed = await begin(world)
  const answer = await submit(world, { SAMLResponse: mixed.SAMLResponse, RelayState: form.RelayState })
  assert.equal(answer.status, 502, 'the answer of another provider')
  assert.ok(!isSignedIn(browser))
})

test('addresses count only for the domains of the provider', async () => {
  const world = await start({ emailDomains: ['corp.example'] })
  const { browser, provider } = world
  assert.match((await signIn(world)).text, /did not confirm your email address/)
  provider.answer = { attributes: { email: ['ada@example.com@corp.example.evil.test'] } }
  assert.match((await signIn(world)).text, /did not confirm your email address/)
  assert.ok(!isSignedIn(browser))

  provider.answer = { attributes: { email: ['Ada@Corp.Example'], 'urn:oid:2.16.840.1.113730.3.1.241': ['Ada L.'] } }
  await signIn(world)
  assert.equal((await browser.call('GET /users/me'))['full_name'], 'Ada L.')
})

test('groups give user groups and roles by the mapping; a person without the attribute leaves them', async () => {
  const world = await start({
    groups: { engineers: 'Engineering' },
    roles: { admins: 'administrator', staff: 'member' },
  })
  const { chat, browser, provider } = world
  const owner = await chat.user('olga', { role: Role.owner })
  const group = { name: 'Engineering', description: '', members: [] }
  const { group_id: id } = await owner.succeed('POST /user_groups/create', group)
  const membersOf = async () => (await owner.succeed(`GET /user_groups/${id}/members`))['members']
  const email = ['ada@example.com']

  provider.answer = { attributes: { email, groups: ['engineers', 'admins'] } }
  await signIn(world)
  const me = await browser.call('GET /users/me')
  assert.equal(me['role'], Role.administrator)
  assert.deepEqual(await membersOf(), [me['user_id']])

  provider.answer = { attributes: { email, 'http://schemas.microsoft.com/claims/groups.link': ['https://graph.test'] } }
  await signIn(world)
  assert.deepEqual(await membersOf(), [me['user_id']], 'too many groups for the assertion')

  provider.answer = { attributes: { email } }
  await signIn(world)
  assert.deepEqual(await membersOf(), [])
})

test('an answer counts once, in the browser that asked, and for ten minutes', async () => {
  const world = await start()
  const { chat, browser } = world

  const form = await begin(world)
  const stranger = openBrowser(chat)
  assert.equal((await submit({ chat, browser: stranger }, form)).status, 404, 'in another browser')
  assert.ok(!isSignedIn(stranger))
  assert.equal((await submit(world, form)).status, 404, 'the assertion was used')

  const second = await begin(world)
  await submit(world, second)
  assert.ok(isSignedIn(browser))
  browser.cookies.delete('parley_session')
  assert.equal((await submit(world, second)).status, 404, 'replayed')

  const third = await begin(world)
  const fourth = await begin(world)
  const swapped = { SAMLResponse: third.SAMLResponse, RelayState: fourth.RelayState }
  assert.equal((await submit(world, swapped)).status, 502, 'the answer to another request')

  world.provider.answer = { notOnOrAfter: 3600 }
  const late = await begin(world)
  await chat.clock.advance(601)
  assert.equal((await submit(world, late)).status, 404, 'too late')
  assert.ok(!isSignedIn(browser))
})

/** Returns the document with an assertion about somebody else, which is not signed, where `place` puts it. */
const wrap = (place: (signed: string, evil: string, response: string) => string) => (xml: string) => {
  const [signed = ''] = /<saml:Assertion[\s\S]*<\/saml:Assertion>/.exec(xml) ?? []
  const evil = signed
    .replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '')
    .replace(/ ID="[^"]*"/, ' ID="_evil"')
    .replace('ada-1', 'olga-1')
    .replace('ada@example.com', 'olga@example.com')
  return place(signed, evil, xml)
}

const before = (mark: string, addition: string) => (xml: string) => xml.replace(mark, `${addition}${mark}`)

/** Answers that must not count, by the detail in the log. */
const forgeries: Record<string, [detail: string, answer: SamlIdentityProvider['answer']]> = {
  'not signed': ['not signed', { signs: [] }],
  'only the response is signed': ['not signed', { signs: ['Response'] }],
  'the signature of the response is broken': [
    'signature or audience',
    {
      signs: ['Assertion', 'Response'],
      tamper: (xml) => xml.replace('<samlp:Status>', '<samlp:Status >').replace(' Version="2.0"', ' Version="2.1"'),
    },
  ],
  'signed with another key': ['signature or audience', { keys: newSigningKeys() }],
  'changed after it was signed': ['signature or audience', { tamper: (xml) => xml.replace('ada-1', 'olga-1') }],
  'signed with SHA-1': ['weak algorithm', { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }],
  'digested with SHA-1': ['weak algorithm', { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }],
  'another audience': ['signature or audience', { audience: 'https://other.test' }],
  'another recipient': ['other recipient', { recipient: 'https://other.test/complete/saml/' }],
  'another destination': ['other destination', { destination: 'https://other.test/complete/saml/' }],
  'another issuer': ['other issuer', { issuer: 'https://evil.test' }],
  'another request': ['other request', { inResponseTo: '_other' }],
  'no request': ['other request', { inResponseTo: null }],
  expired: ['expired', { notOnOrAfter: -61 }],
  'not valid yet': ['not valid yet', { notBefore: 61 }],
  'a name that changes each time': [
    'transient NameID',
    { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
  ],
  'a comment in the name': ['no response', { nameId: 'ada-1<!-- -->.evil' }],
  'an entity': ['no response', { tamper: (xml) => `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>${xml}` }],
  'two signed assertions': [
    'not one assertion',
    { tamper: wrap((signed, _, xml) => xml.replace(signed, `${signed}${signed}`)) },
  ],
  'a second assertion before the signed one': [
    'not one assertion',
    {
      tamper: wrap((signed, evil, xml) => xml.replace(signed, `${evil}${signed}`)),
    },
  ],
  'a second assertion after the signed one': [
    'not one assertion',
    {
      tamper: wrap((signed, evil, xml) => xml.replace(signed, `${signed}${evil}`)),
    },
  ],
  'the signed assertion inside another one': [
    'not one assertion',
    {
      tamper: wrap((signed, evil, xml) => xml.replace(signed, before('</saml:Assertion>', signed)(evil))),
    },
  ],
  'the signed assertion inside an extension': [
    'not one assertion',
    {
      tamper: wrap((signed, evil, xml) =>
        before('<samlp:Status>', `<samlp:Extensions>${signed}</samlp:Extensions>`)(xml.replace(signed, evil)),
      ),
    },
  ],
  'the signed assertion inside the signature of another one': [
    'not one assertion',
    {
      tamper: wrap((signed, evil, xml) => {
        const [signature = ''] = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(signed) ?? []
        const object = before('</ds:Signature>', `<ds:Object>${signed.replace(signature, '')}</ds:Object>`)(signature)
        return xml.replace(signed, before('<saml:Subject>', object)(evil))
      }),
    },
  ],
  'the signed response inside another one': [
    'not one assertion',
    {
      signs: ['Assertion', 'Response'],
      tamper: wrap((_, evil, xml) => {
        const outer = xml.replace(/<saml:Assertion[\s\S]*<\/saml:Assertion>/, '').replace(/ ID="[^"]*"/, ' ID="_outer"')
        return before('</samlp:Response>', `${evil}<samlp:Extensions>${xml}</samlp:Extensions>`)(outer)
      }),
    },
  ],
}

test('answers that are forged, expired or meant for others sign nobody in', async () => {
  const { log, entries } = collectLog()
  const world = await start({}, { log })
  const { browser, provider } = world
  await signIn(world)
  assert.ok(isSignedIn(browser), 'the provider works')
  browser.cookies.delete('parley_session')

  for (const [name, [detail, answer]] of Object.entries(forgeries)) {
    provider.answer = answer
    const page = await signIn(world)
    assert.equal(page.status, 502, name)
    assert.match(page.text, /could not be verified/, name)
    assert.equal(entries.findLast((entry) => 'detail' in entry)?.['detail'], detail, name)
    assert.ok(!isSignedIn(browser), name)
  }
  assert.doesNotMatch(JSON.stringify(entries), /ada@example|olga|Assertion xmlns/)

  provider.answer = { tamper: () => '<samlp:Response' }
  assert.equal((await signIn(world)).status, 502, 'not a document')
  provider.answer = { tamper: () => 'a'.repeat(70_000) }
  assert.equal((await signIn(world)).status, 413, 'too long')
  provider.answer = { tamper: () => '<a>'.repeat(1500) + '</a>'.repeat(1500) }
  assert.equal((await signIn(world)).status, 502, 'too deep')
  provider.answer = { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }
  assert.match((await signIn(world)).text, /refused the sign-in/)

  provider.answer = { notBefore: 59, signs: ['Response', 'Assertion'].reverse() as ['Assertion', 'Response'] }
  await signIn(world)
  assert.ok(isSignedIn(browser), 'a clock that differs by a minute, and two signatures, are fine')
})

test('while the provider replaces its key, both count', async () => {
  const world = await start()
  const { chat, browser, provider } = world
  const [old] = chat.settings.SIGN_IN_FILE.saml
  provider.keys = newSigningKeys()
  assert.equal((await signIn(world)).status, 502)

  old!.certificates = [...old!.certificates, provider.keys.certificate]
  await signIn(world)
  assert.ok(isSignedIn(browser))
})

test('metadata at an address are fetched again, and kept while they cannot be', async () => {
  const { chat, browser, provider } = await start()
  const world = { chat, browser, provider }
  const settings = { metadataUrl: provider.entityId, signOnUrl: '', certificates: [] }
  chat.settings.SIGN_IN_FILE = samlFileWith(provider, settings)
  for (const metadataAnswer of [
    { status: 500, body: '' },
    { status: 200, body: '<html>' },
    { status: 200, body: provider.metadata.replace(provider.entityId, 'https://other.test') },
  ]) {
    provider.metadataAnswer = metadataAnswer
    assert.equal((await browser.open('/accounts/login/social/corp')).status, 502)
  }

  provider.metadataAnswer = null
  await signIn(world)
  assert.ok(isSignedIn(browser))

  provider.metadataAnswer = { status: 500, body: '' }
  await chat.clock.advance(301)
  browser.cookies.clear()
  await signIn(world)
  assert.ok(isSignedIn(browser), 'the metadata from before count')

  provider.metadataAnswer = null
  provider.keys = newSigningKeys()
  browser.cookies.clear()
  assert.equal((await signIn(world)).status, 502)
  await chat.clock.advance(301)
  await signIn(world)
  assert.ok(isSignedIn(browser), 'the new key is found')
})

test('a sign-in that begins at the provider asks it once more, if the operator allows it', async () => {
  const world = await start({ isIdpInitiated: true })
  const { chat, browser, provider } = world
  const to = { entityId: HERE, answerUrl: `${HERE}/complete/saml/` }

  for (const [relayState, next] of [
    [`${HERE}/#recent`, '/#recent'],
    ['https://evil.test/', '/'],
    ['', '/'],
  ] as const) {
    const { action, ...form } = await provider.begin({ ...to, relayState })
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams(form).toString()
    const answer = await chat.request({ method: 'POST', path: '/complete/saml/', headers, body })
    const path = String(answer.headers['location'])
    assert.equal(path, `/accounts/login/social/corp?${new URLSearchParams({ next })}`)
  }
  await signIn(world, '/accounts/login/social/corp?next=/')
  assert.ok(isSignedIn(browser))

  browser.cookies.clear()
  chat.settings.SIGN_IN_FILE = samlFileWith(provider)
  const unasked = await provider.begin({ ...to, relayState: '' })
  assert.equal((await submit(world, unasked)).status, 404)
  assert.ok(!isSignedIn(browser))
})

test('the metadata name the addresses and the key of this server, and requests are signed with it', async () => {
  const keys = newSigningKeys()
  const world = await start({ signing: { key: keys.privateKey, certificate: keys.certificate } })
  const { chat, browser, provider } = world

  const page = await browser.open('/saml/metadata.xml')
  const [, certificate = ''] = /<ds:X509Certificate>([^<]*)</.exec(page.body) ?? []
  assert.match(page.body, /entityID="http:\/\/parley.test"/)
  assert.match(page.body, /WantAssertionsSigned="true"/)
  assert.match(page.body, /Location="http:\/\/parley.test\/complete\/saml\/"/)
  assert.equal(certificate.replace(/\s/g, ''), keys.certificate.replace(/-----[^-]+-----|\s/g, ''))

  await signIn(world)
  assert.ok(isSignedIn(browser))
  assert.equal(provider.requests[0]?.query.get('SigAlg'), 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')

  chat.settings.SIGN_IN_FILE = samlFileWith(provider, { organizations: ['other'] })
  assert.equal((await browser.open('/saml/metadata.xml')).status, 404)
  assert.equal((await browser.open('/accounts/login/social/corp')).status, 404)
})

test('an owner can try the provider without being signed in, and turn passwords off once it has worked', async () => {
  const world = await start()
  const { chat, browser } = world
  const owner = await chat.user('ada', { role: Role.owner })
  const off = { authentication_methods: { Email: false, SAML: true } }
  assert.match((await owner.call('PATCH /realm', off))['msg'], /Sign in once with another method/)

  await signIn(world)
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  await browser.open(link)
  await browser.submit()
  const report = await signIn(world, '/accounts/login/social/corp?test')
  assert.match(report.text, /Example Corp works/)
  assert.match(report.text, /ID ada-1 .*Verified email address ada@example\.com/)

  await owner.succeed('PATCH /realm', off)
  const { providers } = await owner.succeed('GET /realm/sign_in_providers')
  assert.equal(providers[0].has_worked, true)
  assert.equal(providers[0].redirect_url, `${HERE}/complete/saml/`)
})

type Binding = 'redirect' | 'post'

/** Sends a logout of the provider without cookies, and returns the answer. */
function sendLogout({ chat }: Pick<World, 'chat'>, binding: Binding, message: string) {
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
  return binding === 'post'
    ? chat.request({ method: 'POST', path: '/complete/saml/', headers, body: message })
    : chat.request({ method: 'GET', path: `/complete/saml/?${message}`, headers: { host: 'parley.test' } })
}

const logOut = (world: World, binding: Binding, changes: Partial<Logout> = {}) =>
  sendLogout(world, binding, world.provider.logOut(binding, `${HERE}/complete/saml/`, changes))

const statusOf = async (browser: Browser) => (await browser.call('GET /users/me')).status

/** Returns further browsers: of the same person, and of another one who is signed in with the same provider. */
async function signInMore(world: World): Promise<{ second: Browser; other: Browser }> {
  const [second, other] = [openBrowser(world.chat), openBrowser(world.chat)]
  await signIn({ ...world, browser: second })
  world.provider.answer = { nameId: 'ben-1', attributes: { email: ['ben@example.com'], first_name: ['Ben'] } }
  await signIn({ ...world, browser: other })
  world.provider.answer = {}
  return { second, other }
}

test('a logout at the provider ends all sessions of the person, and is answered with a signature', async () => {
  const keys = newSigningKeys()
  const world = await start({ signing: { key: keys.privateKey, certificate: keys.certificate } })
  const { chat, provider, browser } = world
  chat.settings.SIGN_IN_FILE.saml[0]!.logoutAnswerUrl = provider.logoutAnswerUrl
  assert.match((await browser.open('/saml/metadata.xml')).body, /<SingleLogoutService [^>]*\/complete\/saml\/"/)

  for (const binding of ['redirect', 'post'] as const) {
    await signIn(world)
    const { second, other } = await signInMore(world)
    const answer = await logOut(world, binding, { id: `_logout${binding}` })

    assert.deepEqual([await statusOf(browser), await statusOf(second), await statusOf(other)], [401, 401, 200], binding)
    const address = new URL(String(answer.headers['location']))
    assert.equal(address.origin + address.pathname, provider.logoutAnswerUrl)
    assert.equal(address.searchParams.get('RelayState'), 'a state, 1')
    assert.equal(address.searchParams.get('SigAlg'), 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
    const xml = inflateRawSync(Buffer.from(address.searchParams.get('SAMLResponse') ?? '', 'base64')).toString()
    const { attributes } = readXml(xml) ?? {}
    assert.deepEqual(
      [attributes?.get('InResponseTo'), attributes?.get('Destination')],
      [`_logout${binding}`, provider.logoutAnswerUrl],
    )
    assert.match(xml, /status:Success/)
  }
  const owner = await chat.user('olga', { role: Role.owner })
  const { entries } = await owner.succeed('GET /audit_log')
  const kinds = (entries as { kind: string }[]).map(({ kind }) => kind)
  assert.equal(kinds.filter((kind) => kind === 'logged_out_by_other').length, 2)
})

test('without a key for the answer, a page says that the person is signed out; a logout counts once', async () => {
  const world = await start()
  const { browser, chat, provider } = world
  assert.doesNotMatch((await browser.open('/saml/metadata.xml')).body, /SingleLogoutService/)

  for (const binding of ['redirect', 'post'] as const) {
    await signIn(world)
    const message = provider.logOut(binding, `${HERE}/complete/saml/`, { notOnOrAfter: null })
    const answer = await sendLogout(world, binding, message)
    assert.equal(answer.status, 200)
    assert.match(answer.body, /You are signed out/)
    assert.equal(await statusOf(browser), 401)

    await signIn(world)
    assert.equal((await sendLogout(world, binding, message)).status, 200)
    assert.equal(await statusOf(browser), 200, 'a repeated message does nothing')
    await chat.clock.advance(361)
    assert.equal((await sendLogout(world, binding, message)).status, 400, 'and has expired afterwards')
    assert.equal((await logOut(world, binding, { nameId: 'nobody' })).status, 200, 'a person without an account')
    assert.equal(await statusOf(browser), 200)
  }
})

test('logouts that are forged, expired or meant for others end no session', async () => {
  const { log, entries } = collectLog()
  const world = await start({}, { log })
  const { browser, chat, provider } = world
  await signIn(world)
  const wrong: Record<string, [detail: string | null, changes: Partial<Logout>, only?: Binding]> = {
    'not signed': ['not signed', { isSigned: false }],
    'another key': ['signature', { keys: newSigningKeys() }],
    'changed after it was signed': ['signature', { nameId: 'ben-1', tamper: (xml) => xml.replace('ben-1', 'ada-1') }],
    'signed with SHA-1': ['weak algorithm', { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }],
    'digested with SHA-1': ['weak algorithm', { digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }, 'post'],
    'another destination': ['other destination', { destination: 'https://other.test/complete/saml/' }],
    'no destination': ['other destination', { destination: '' }],
    expired: ['expired', { issuedAt: -400, notOnOrAfter: -61 }],
    'older than an hour': ['expired', { issuedAt: -3661, notOnOrAfter: 3600 }],
    'issued in the future': ['issued in the future', { issuedAt: 61 }],
    'no person': ['no usable id', { nameId: '' }],
    'no id': ['no usable id', { id: '' }, 'redirect'],
    'another provider': [null, { issuer: 'https://evil.test' }],
    'an entity': [null, { tamper: (xml) => `<!DOCTYPE r [<!ENTITY e "ada-1">]>${xml}` }],
    'a comment in the name': [null, { nameId: 'ada-1<!-- -->.evil' }],
    'another message': [null, { tamper: (xml) => xml.replaceAll('LogoutRequest', 'ManageNameIDRequest') }],
    'too long when inflated': [null, { tamper: () => 'a'.repeat(1_000_000) }, 'redirect'],
    'a second signature': [
      'several signatures',
      {
        tamper: (xml) => xml.replace(/<ds:Signature[\s\S]*<\/ds:Signature>/, '$&<r>$&</r>').replace(/ Id="[^"]*"/g, ''),
      },
      'post',
    ],
    'the signed message inside another one': [
      'signature',
      {
        nameId: 'ben-1',
        tamper(xml) {
          const [signature = ''] = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(xml) ?? []
          const outer = xml.replace(/ ID="[^"]*"/, ' ID="_outer"').replace('ben-1', 'ada-1')
          return outer.replace(
            signature,
            `${signature}<samlp:Extensions>${xml.replace(signature, '')}</samlp:Extensions>`,
          )
        },
      },
      'post',
    ],
  }
  for (const [name, [detail, changes, only]] of Object.entries(wrong))
    for (const binding of only === undefined ? (['redirect', 'post'] as const) : [only]) {
      const answer = await logOut(world, binding, changes)
      assert.equal(answer.status, detail === null ? 404 : 400, `${name}, ${binding}`)
      if (detail !== null) assert.equal(entries.findLast((entry) => 'detail' in entry)?.['detail'], detail, name)
      assert.equal(await statusOf(browser), 200, `${name}, ${binding}`)
    }
  assert.doesNotMatch(JSON.stringify(entries), /ada-1|LogoutRequest/)

  const forged = { nameId: 'ada-1', isSigned: false }
  const signed = provider.logOut('redirect', `${HERE}/complete/saml/`, { nameId: 'nobody' })
  const unsigned = provider.logOut('redirect', `${HERE}/complete/saml/`, forged)
  const [evil = ''] = unsigned.split('&')
  for (const query of [`${evil}&${signed}`, `${signed}&${evil}`, `${evil.replace('SAML', '%53AML')}&${signed}`])
    await sendLogout({ chat }, 'redirect', query)
  assert.equal(await statusOf(browser), 200, 'a second message beside the signed one')

  chat.settings.SIGN_IN_FILE = samlFileWith(provider, { organizations: ['other'] })
  assert.equal((await logOut(world, 'redirect')).status, 404, 'a provider of another organization')
  chat.settings.SIGN_IN_FILE = samlFileWith(provider)
  assert.equal((await logOut(world, 'redirect')).status, 200)
  assert.equal(await statusOf(browser), 401)
})

/** Starts with a provider that is told of logouts, and signs in. */
async function startWithLogouts(): Promise<World> {
  const keys = newSigningKeys()
  const world = await start({ isLogoutSent: true, signing: { key: keys.privateKey, certificate: keys.certificate } })
  world.chat.settings.SIGN_IN_FILE.saml[0]!.logoutUrl = world.provider.logoutUrl
  await signIn(world)
  return world
}

/** Ends the session like the client does, and returns the address of the provider, or the path of the page here. */
async function leave({ chat, browser }: World): Promise<string> {
  const csrf_token = await browser.csrfToken()
  const cookies = () => Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ csrf_token }).toString()
  const ended = await chat.request({
    method: 'POST',
    path: '/logout/',
    headers: { ...headers, cookie: cookies() },
    body,
  })
  assert.equal(ended.headers['location'], '/login/')
  for (const line of [ended.headers['set-cookie'] ?? []].flat())
    if (/Max-Age=0/.test(String(line))) browser.cookies.delete(String(line).split('=')[0] ?? '')
  const gone = await chat.request({
    method: 'GET',
    path: '/logout/',
    headers: { host: 'parley.test', cookie: cookies() },
  })
  return String(gone.headers['location'])
}

test('signing out here signs the person out at the provider, and comes back to the sign-in page', async () => {
  const world = await startWithLogouts()
  const { browser, chat, provider } = world
  assert.equal((await browser.open('/logout/')).path, '/', 'the session here ends first')
  assert.equal(await statusOf(browser), 200)

  const address = await leave(world)

  assert.equal(await statusOf(browser), 401)
  assert.ok(address.startsWith(`${provider.logoutUrl}?`))
  const back = (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? ''
  const { xml = '', query } = provider.requests.at(-1) ?? {}
  assert.match(xml, /<saml:NameID Format="[^"]*:persistent">ada-1<.*SessionIndex[^>]*>_session</s)
  assert.match(xml, new RegExp(`Destination="${provider.logoutUrl}"`))
  assert.equal(query?.get('SigAlg'), 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')
  const page = await browser.open(back.slice(HERE.length))
  assert.match(page.text, /You were signed out\./)
  const again = await chat.request({ method: 'GET', path: back.slice(HERE.length), headers: { host: 'parley.test' } })
  assert.equal(again.headers['location'], '/login/', 'an answer counts once')
})

test('a logout that the provider did not confirm shows the sign-in page with a notice', async () => {
  const world = await startWithLogouts()
  const { chat, provider } = world
  const wrong: Record<string, Partial<Logout>> = {
    'not signed': { isSigned: false },
    'another key': { keys: newSigningKeys() },
    'another request': { inResponseTo: '_other' },
    'another issuer': { issuer: 'https://evil.test' },
    'another destination': { destination: 'https://other.test/' },
    failed: { status: 'Responder' },
  }
  for (const binding of ['redirect', 'post'] as const)
    for (const [name, changes] of Object.entries({ ...wrong, fine: {} })) {
      await signIn(world)
      const state = new URL(await leave(world)).searchParams
      const xml = inflateRawSync(Buffer.from(state.get('SAMLRequest') ?? '', 'base64')).toString()
      const inResponseTo = readXml(xml)?.attributes.get('ID') ?? ''
      const answer = { kind: 'LogoutResponse', inResponseTo, ...changes } as const
      const message = provider.logOut(binding, `${HERE}/complete/saml/`, answer, state.get('RelayState') ?? '')
      const { headers } = await sendLogout({ chat }, binding, message)
      assert.equal(headers['location'], name === 'fine' ? '/login/?logged_out' : '/login/?logged_out=here', name)
    }
})

test('only the browser that signed in with the provider, and only as the same person, is signed out there', async () => {
  const world = await startWithLogouts()
  const { browser, chat } = world
  const other = openBrowser(chat)
  assert.equal((await other.open('/logout/')).path, '/login/')

  const { other: ben } = await signInMore(world)
  browser.cookies.set('parley_session', ben.cookies.get('parley_session') ?? '')
  assert.equal(await leave(world), '/login/', 'somebody else has signed in since')

  browser.cookies.clear()
  await signIn(world)
  chat.settings.SIGN_IN_FILE.saml[0]!.isLogoutSent = false
  assert.equal(await leave(world), '/login/', 'turned off')
})
