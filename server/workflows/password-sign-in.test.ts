import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { findConnectionsOf } from '#identity/external-identities.ts'
import { Role } from '#rules/role.ts'
import { type Browser, openBrowser, PASSWORD } from '../../test/browser.ts'
import { collectLog } from '../../test/collected-log.ts'
import { type Chat, type StartOptions, startChat } from '../../test/harness.ts'
import { BASE, type Slapd, slapdAbsent, startSlapd } from '../../test/slapd.ts'

const skip = slapdAbsent

type Declared = Parameters<Slapd['signInFile']>[0]

let started: Slapd | undefined

/** Starts a server whose operator has declared the directory, which all tests of this file share. */
async function start(declared: Declared = {}, options: StartOptions = {}) {
  started ??= await startSlapd()
  const settings = { SIGN_IN_FILE: started.signInFile(declared), ...options.settings }
  const chat = await startChat({ ...options, settings })
  await chat.change({ invite_required: false })
  return { slapd: started, chat, browser: openBrowser(chat) }
}

async function enter(browser: Browser, email: string, password: string) {
  browser.cookies.delete('parley_session')
  await browser.open('/login/')
  return browser.submit({ email, password })
}

const isSignedIn = (browser: Browser) => browser.cookies.has('parley_session')

const fetchKey = (chat: Chat, username: string, password: string) =>
  chat
    .request({
      method: 'POST',
      path: '/api/v1/fetch_api_key',
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ username, password }).toString(),
    })
    .then(({ status, body }) => ({ status, ...JSON.parse(body) }))

test('a person of the directory signs in by user name or address, and joins the first time', { skip }, async () => {
  const { slapd, browser } = await start()
  await slapd.addPerson('ada', { mail: ' ada@example.com ' })

  const form = await browser.open('/login/')
  assert.match(form.text, /Email or user name/)
  for (const name of ['ada', 'ADA@example.com', ' ada ']) {
    await enter(browser, name, 'password of ada')
    const me = await browser.call('GET /users/me')
    assert.deepEqual([me['full_name'], me['delivery_email']], ['ada of the directory', 'ada@example.com'], name)
  }
  const { connected_accounts } = await browser.call('GET /users/me/connected_accounts')
  assert.deepEqual(connected_accounts, [], 'the directory manages the account')
  const { members } = await browser.call('GET /users')
  assert.equal(members.filter((member: { is_bot: boolean }) => !member.is_bot).length, 1)
})

test('nobody signs in with a wrong or empty password, a pattern, or a name of two entries', { skip }, async () => {
  const { slapd, chat, browser } = await start()
  await slapd.addPerson('bea')
  await slapd.addPerson('twin-1', { mail: 'twins@example.com', userPassword: 'same' })
  await slapd.addPerson('twin-2', { mail: 'twins@example.com', userPassword: 'same' })
  const wrong = [
    ['bea', 'password of ada'],
    ['bea', ''],
    ['*', 'password of bea'],
    ['be*', 'password of bea'],
    ['*)(uid=*', 'password of bea'],
    ['bea)(objectClass=*', 'password of bea'],
    ['x)(|(uid=bea', 'password of bea'],
    ['bea\\2a', 'password of bea'],
    ['bea\0', 'password of bea'],
    [`uid=bea,ou=people,${BASE}`, 'password of bea'],
    ['twins@example.com', 'same'],
    ['b'.repeat(5000), 'password of bea'],
  ] as const
  for (const [name, password] of wrong) {
    const page = await enter(browser, name, password)
    assert.match(page.text, /The user name or the password is incorrect/, name)
    assert.ok(!isSignedIn(browser), name)
    const refused = await fetchKey(chat, name, password)
    assert.equal(refused.code, 'AUTHENTICATION_FAILED', name)
  }
})

test('attempts are counted by the entry, however its name is spelled, and without a directory only where passwords are on', {
  skip,
}, async () => {
  const { log, entries } = collectLog()
  const { slapd, chat, browser } = await start({}, { limitsAttempts: true, log })
  await slapd.addPerson('cleo')
  const ben = await chat.user('ben')
  await slapd.stop()
  assert.equal((await enter(browser, 'cleo@example.com', 'password of cleo')).status, 503)
  assert.ok(!entries.some(({ event }) => event === 'password_wrong'), 'nothing says that the password was wrong')
  for (let count = 0; count < 5; count += 1) assert.equal((await enter(browser, ben.email, 'a guess')).status, 503)
  assert.match((await enter(browser, ben.email, 'a guess')).text, /Too many attempts/)
  assert.equal(entries.filter(({ event }) => event === 'password_wrong').length, 5)
  await chat.change({ authentication_methods: { Email: false, LDAP: true } })
  for (let count = 0; count < 8; count += 1) {
    const page = await enter(browser, 'cleo', 'password of cleo')
    assert.equal(page.status, 503)
    assert.match(page.text, /Example directory can't be reached at the moment/)
    assert.equal((await fetchKey(chat, 'cleo', 'password of cleo')).code, 'DIRECTORY_UNREACHABLE')
  }
  await slapd.start()

  for (const name of ['cleo', 'CLEO@example.com', 'ｃleo', 'ｃｌeo', 'cｌeo'])
    assert.match((await enter(browser, name, 'wrong')).text, /is incorrect/, name)
  const locked = await enter(browser, 'ｃleo', 'password of cleo')
  assert.match(locked.text, /Too many attempts/)
  assert.ok(!isSignedIn(browser))
})

test('a directory that answers nonsense or nothing is an error that says so', { skip }, async () => {
  for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', '0\x84\xff\xff\xff\xff', '']) {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write(Buffer.from(answer, 'latin1')))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const { browser } = await start({ url: `ldap://127.0.0.1:${port}`, start_tls: false, timeout_seconds: 1 })
    assert.equal((await enter(browser, 'ada', 'password of ada')).status, 503, answer)
    server.close()
  }
})

test('passwords go only to a server with a trusted certificate of its name, and the next server is tried', {
  skip,
}, async () => {
  const { slapd } = await start()
  await slapd.addPerson('dora')
  const secure = { start_tls: false, url: `ldaps://localhost:${slapd.securePort}` }
  const wrong: Declared[] = [
    { ca_file: undefined },
    { url: `ldap://127.0.0.1:${slapd.port}` },
    { ...secure, ca_file: undefined },
    { ...secure, url: `ldaps://127.0.0.1:${slapd.securePort}` },
    { bind_password: 'another' },
  ]
  for (const declared of wrong) {
    const { browser } = await start(declared)
    assert.equal((await enter(browser, 'dora', 'password of dora')).status, 503, JSON.stringify(declared))
    assert.ok(!isSignedIn(browser))
  }

  const { browser } = await start({ start_tls: false, url: ['ldaps://localhost:1', secure.url] })
  await enter(browser, 'dora', 'password of dora')
  assert.ok(isSignedIn(browser))
})

test('a local account keeps its password until it is connected, and has only that of the directory then', {
  skip,
}, async () => {
  const { slapd, chat, browser } = await start()
  await slapd.addPerson('emma')
  const emma = await chat.user('emma')
  await enter(browser, emma.email, PASSWORD)
  // This account has no password.
  assert.ok(!isSignedIn(browser))

  const asked = await enter(browser, 'emma', 'password of emma')
  assert.match(asked.text, /You already have an account/)
  assert.equal((await fetchKey(chat, 'emma', 'password of emma')).code, 'SIGN_IN_IN_BROWSER')
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  assert.equal((await openBrowser(chat).open(link)).status, 404, 'the link works only in the browser in which it began')
  await browser.open(link)
  await browser.submit()
  assert.equal((await browser.call('GET /users/me'))['user_id'], emma.id)

  const key = await fetchKey(chat, 'emma', 'password of emma')
  assert.equal(key.user_id, emma.id)
  await slapd.change('emma', { mail: ['other@example.com'] })
  assert.equal((await fetchKey(chat, 'emma@example.com', 'password of emma')).user_id, emma.id, 'by the local address')
  assert.equal((await fetchKey(chat, 'other@example.com', 'password of emma')).user_id, emma.id)
})

test('a person whose entry was imported again confirms it by the address of the account, and the old one is forgotten', {
  skip,
}, async () => {
  const { slapd, chat, browser } = await start()
  await slapd.addPerson('nora')
  const { user_id } = await fetchKey(chat, 'nora', 'password of nora')
  await slapd.remove('nora')
  await slapd.addPerson('nora')
  assert.match((await enter(browser, 'nora@example.com', 'wrong')).text, /is incorrect/)
  const asked = await enter(browser, 'nora@example.com', 'password of nora')
  assert.match(asked.text, /You already have an account/)
  assert.ok(!isSignedIn(browser))
  await browser.submit()
  const [link = ''] = /\/accounts\/connect_by_email\/\S+?\//.exec((await chat.mail()).at(-1)?.text ?? '') ?? []
  await browser.open(link)
  await browser.submit()
  assert.equal((await browser.call('GET /users/me'))['user_id'], user_id)
  assert.equal((await findConnectionsOf(chat.app.services.db, user_id)).length, 1)
})

test('an account with the same address is connected at once where the operator says so', { skip }, async () => {
  const { slapd, chat, browser } = await start({ link_by_address: true })
  await slapd.addPerson('flora')
  const flora = await chat.user('flora')
  await enter(browser, 'flora', 'password of flora')
  assert.equal((await browser.call('GET /users/me'))['user_id'], flora.id)
  assert.match((await chat.mail()).at(-1)?.subject ?? '', /can now sign in to your account/)
})

test('groups of the directory give user groups and roles, by search or by an attribute', { skip }, async () => {
  const mappings = {
    groups: { Engineers: 'Engineering' },
    roles: { admins: 'administrator', staff: 'member' },
  } as const
  const { slapd, chat, browser } = await start({ groups_search: { base_dn: `ou=groups,${BASE}` }, ...mappings })
  const owner = await chat.user('olga', { role: Role.owner })
  const { group_id } = await owner.succeed('POST /user_groups/create', {
    name: 'Engineering',
    description: '',
    members: [],
  })
  for (const name of ['gina', 'hedy']) await slapd.addPerson(name)
  await slapd.addGroup('engineers', ['gina'])
  await slapd.addGroup('admins', ['gina'])
  await slapd.addGroup('staff', ['hedy'])

  await enter(browser, 'gina', 'password of gina')
  const gina = await browser.call('GET /users/me')
  assert.equal(gina['role'], Role.administrator)
  assert.deepEqual((await owner.succeed(`GET /user_groups/${group_id}/members`))['members'], [gina['user_id']])
  await enter(browser, 'hedy', 'password of hedy')
  assert.equal((await browser.call('GET /users/me'))['role'], Role.member)

  const byAttribute = await start({
    groups_attribute: 'memberOf',
    roles: { [`CN=Admins, OU=Groups,${BASE}`]: 'administrator' },
  })
  await enter(byAttribute.browser, 'gina', 'password of gina')
  assert.equal((await byAttribute.browser.call('GET /users/me'))['role'], Role.administrator)
})

test('disabled people, uninvited ones and ones without an address get no account', { skip }, async () => {
  const { slapd, chat, browser } = await start({ disabled_filter: '(employeeType=disabled)' })
  await slapd.addPerson('ida', { employeeType: 'disabled' })
  await slapd.addPerson('jana', { mail: [] })
  const ida = await enter(browser, 'ida', 'password of ida')
  assert.match(ida.text, /disabled in the directory/)
  assert.match((await enter(browser, 'ida', 'wrong')).text, /incorrect/)
  assert.equal((await fetchKey(chat, 'ida', 'password of ida')).code, 'USER_DEACTIVATED')
  assert.match((await enter(browser, 'jana', 'password of jana')).text, /did not confirm your email address/)
  await chat.change({ invite_required: true })
  await slapd.addPerson('kira')
  assert.match((await enter(browser, 'kira', 'password of kira')).text, /need an invitation/)
  assert.ok(!isSignedIn(browser))
})

test('where passwords are turned off, invited people of a directory join by the form', { skip }, async () => {
  const { slapd, chat, browser } = await start()
  await slapd.addPerson('mona')
  const owner = await chat.user('olga', { role: Role.owner })
  await chat.change({ invite_required: true, authentication_methods: { Email: false } })
  const { invite_link } = await owner.succeed('POST /invites/multiuse', { invite_as: Role.moderator })

  const offered = await browser.open(new URL(invite_link).pathname)
  const [, path = ''] = /href="(\/login\/[^"]*)"[^>]*>Sign in with your user name/.exec(offered.body) ?? []
  await browser.open(path)
  assert.match((await browser.submit({ email: 'mona', password: 'wrong' })).text, /is incorrect/)
  await browser.submit({ email: 'mona', password: 'password of mona' })
  assert.equal((await browser.call('GET /users/me'))['role'], Role.moderator)
})

test('owners turn the directory and passwords on and off, and clients show the form for either', { skip }, async () => {
  const { slapd, chat, browser } = await start({ roles: { admins: 'owner' }, groups_attribute: 'memberOf' })
  const owner = await chat.user('olga', { role: Role.owner })
  await slapd.addPerson('lena')
  const methods = async () => (await owner.succeed('GET /server_settings'))['authentication_methods']
  const { password, email, ldap } = await methods()
  assert.deepEqual([password, email, ldap], [true, true, true])

  const refused = await owner.call('PATCH /realm', { authentication_methods: { Email: false } })
  assert.match(refused.msg, /Sign in once/)
  await chat.change({ authentication_methods: { Email: false } })
  const off = await methods()
  assert.deepEqual([off.password, off.email, off.ldap], [true, false, true])
  await enter(browser, 'lena', 'password of lena')
  assert.ok(isSignedIn(browser))
  assert.doesNotMatch((await browser.open('/login/?email=x')).text, /Forgot it/)

  await chat.change({ authentication_methods: { LDAP: false } })
  const local = await methods()
  assert.deepEqual([local.password, local.email, local.ldap], [true, true, false])
  await enter(browser, 'lena', 'password of lena')
  assert.ok(!isSignedIn(browser))
})
