import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveRealmFields } from '#realms/queries.ts'
import {
  changeWhileChecked,
  openBrowser,
  PASSWORD,
  sessionsOf,
  signIn,
  startWithPassword,
  submitPassword,
} from '../../test/browser.ts'

test('logging in opens a session and redirects to the requested page', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = openBrowser(chat)

  const requested = await browser.open('/channels/5?topic=a%26b')
  const page = await browser.submit({ email: 'ADA@example.com', password: PASSWORD })
  const me = await browser.call('GET /users/me')

  assert.equal(requested.path, '/login/?next=%2Fchannels%2F5%3Ftopic%3Da%2526b')
  assert.match(requested.text, /Sign in to parley.test/)
  assert.equal(page.path, '/channels/5?topic=a%26b')
  assert.match(page.text, /Welcome, Ada/)
  assert.equal(me['user_id'], ada.id)
})

test('an unknown address, a wrong password and a deactivated account get the same response', async () => {
  const { chat, ada } = await startWithPassword()
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  await ada.call('POST /users/me/presence', { status: 'active' })
  await ben.succeed('DELETE /users/me')
  const browser = openBrowser(chat)

  const responses = []
  for (const [email, password] of [
    ['nobody@example.com', PASSWORD],
    ['ada@example.com', 'something else'],
    ['ben@example.com', PASSWORD],
  ] as const) {
    await browser.open('/login/')
    const { status, body } = await browser.submit({ email, password })
    responses.push({ status, body: body.replaceAll(email, 'EMAIL').replaceAll(encodeURIComponent(email), 'EMAIL') })
  }

  assert.equal(responses[0]?.status, 400)
  assert.match(responses[0]?.body ?? '', /The email address or the password is incorrect\./)
  assert.deepEqual(responses[1], responses[0])
  assert.deepEqual(responses[2], responses[0])
  assert.deepEqual(await sessionsOf(chat), [])
})

test('the login page passes the typed address on to the password reset page', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = openBrowser(chat)
  await browser.open('/login/')

  const refused = await browser.submit({ email: ada.email, password: 'forgotten' })
  const forgotten = await browser.open(/href="(\/accounts\/password\/reset\/[^"]*)"/.exec(refused.body)?.[1] ?? '')

  assert.match(forgotten.body, /<input id="email" [^>]*value="ada@example.com"/)
})

test('after five wrong passwords, the page shows how long to wait, and even the correct one is refused', async () => {
  const { chat, ada } = await startWithPassword({ settings: { RATE_LIMITING: true } })
  const browser = openBrowser(chat)
  await browser.open('/login/')
  for (let attempt = 0; attempt < 5; attempt += 1)
    await browser.submit({ email: ada.email, password: `wrong ${attempt}` })
  await chat.clock.advance(60)

  const locked = await browser.submit({ email: ada.email, password: PASSWORD })
  await chat.clock.advance(1740)
  const open = await browser.submit({ email: ada.email, password: PASSWORD })

  assert.equal(locked.status, 429)
  assert.match(locked.text, /Too many attempts\. Try again in 1740 seconds\./)
  assert.equal(locked.headers['retry-after'], '1740')
  assert.equal(open.path, '/')
})

test("logging in again closes the browser's previous session", async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)
  const [before] = browser.cookies.values()

  await chat.request({
    method: 'POST',
    path: '/login/',
    headers: {
      host: 'parley.test',
      cookie: `parley_session=${before}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ email: ada.email, password: PASSWORD }).toString(),
  })

  assert.equal((await browser.call('GET /users/me')).status, 401)
  assert.equal((await sessionsOf(chat)).length, 1)
})

test('the login page redirects users who are already logged in', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)

  assert.equal((await browser.open('/login/?next=/people')).path, '/people')
})

test('an address without a trailing slash redirects with its query string', async () => {
  const { chat } = await startWithPassword()

  assert.equal((await openBrowser(chat).open('/login?email=a%40b.test')).path, '/login/?email=a%40b.test')
})

test('the login page of an address without an organization says so, and does not explain how to create one', async () => {
  const { chat } = await startWithPassword()

  const { status, text } = await openBrowser(chat, { host: 'nobody.parley.test' }).open('/login/')

  assert.equal(status, 404)
  assert.match(text, /No organization found Check the address for typos/)
  assert.doesNotMatch(text, /setup-link/)
})

test('logging out without a session redirects to the login page, and from there to the start page', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)
  await browser.open('/')
  browser.cookies.clear()

  const left = await browser.submit()
  const back = await browser.submit({ email: ada.email, password: PASSWORD })

  assert.deepEqual([left.path, back.path], ['/login/', '/'])
})

test('redirects to other sites are refused', async () => {
  const { chat, ada } = await startWithPassword()
  const elsewhere = [
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/.//evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
  ]

  for (const next of elsewhere) {
    const response = await chat.request({
      method: 'POST',
      path: '/login/',
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ email: ada.email, password: PASSWORD, next }).toString(),
    })
    assert.equal(response.headers['location'], '/', next)
  }
})

test('the login page of a deactivated organization says so, and refuses logins', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)
  await chat.app.services.transaction((tx) => saveRealmFields(tx, chat.realm.id, { deactivatedAt: tx.now }))

  const home = await browser.open('/')
  const refused = await browser.call('GET /users/me')

  assert.deepEqual([home.status, home.path], [403, '/login/'])
  assert.match(home.text, /Example has been deactivated/)
  assert.equal(refused.status, 401)
})

test("logging out closes the session, and requires the page's CSRF token", async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)
  const [token] = browser.cookies.values()

  await browser.open('/')
  const forged = await browser.submit({ csrf_token: 'x' })
  await browser.open('/')
  const left = await browser.submit()

  assert.deepEqual([forged.status, left.path], [403, '/login/'])
  assert.match(forged.text, /Nothing was changed/)
  assert.deepEqual([...browser.cookies], [])
  browser.cookies.set('parley_session', token ?? '')
  assert.equal((await browser.call('GET /users/me')).status, 401)
})

test('logging out makes the browser clear its cache', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await signIn(chat, ada)
  const [token] = browser.cookies.values()
  const form = new URLSearchParams({ csrf_token: await browser.csrfToken() })

  const { headers } = await chat.request({
    method: 'POST',
    path: '/logout/',
    headers: {
      host: 'parley.test',
      cookie: `parley_session=${token}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: form.toString(),
  })

  assert.equal(headers['clear-site-data'], '"cache"')
})

test('a login fails if the password is changed at the same time', async () => {
  const { chat, ada } = await startWithPassword()
  await changeWhileChecked(chat, ada)
  const browser = openBrowser(chat)
  await browser.open('/login/')

  const late = await browser.submit({ email: ada.email, password: PASSWORD })

  assert.deepEqual([late.status, late.path], [400, '/login/'])
  assert.deepEqual(await sessionsOf(chat), [])
})

test('forms sent from another site are refused', async () => {
  const { chat, ada } = await startWithPassword()
  const from: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: 'http://parley.test' },
    { origin: 'https://evil.test' },
    { origin: 'null' },
  ]

  for (const headers of from) {
    const response = await chat.request({
      method: 'POST',
      path: '/login/',
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ email: ada.email, password: PASSWORD }).toString(),
    })
    assert.deepEqual([response.status, response.headers['set-cookie']], [403, undefined])
  }
  assert.deepEqual(await sessionsOf(chat), [])
})

test('pages have headers that prevent foreign scripts, framing and caching', async () => {
  const { chat } = await startWithPassword()

  const { headers, body } = await openBrowser(chat).open('/login/')

  const policy = String(headers['content-security-policy'])
  assert.match(policy, /^default-src 'none';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.match(policy, /require-trusted-types-for 'script'/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['cache-control'], 'private, no-store')
  assert.doesNotMatch(body, /<style|style=| on\w+=|<script>/)
  for (const [, url = ''] of body.matchAll(/(?:href|src)="(\/static\/pages\/[^"]+)"/g)) {
    const asset = await chat.request({ method: 'GET', path: url })
    assert.equal(asset.status, 200)
    assert.match(String(asset.headers['cache-control']), /immutable/)
  }
})

test('input is shown as text and never as HTML', async () => {
  const { chat } = await startWithPassword()
  const browser = openBrowser(chat)

  const page = await browser.open('/login/?email=%22%3E%3Cscript%3Ealert(1)%3C/script%3E')

  assert.doesNotMatch(page.body, /<script>/)
  assert.match(page.body, /value="&quot;&gt;&lt;script&gt;/)
})

test('a login is kept unless the user says otherwise, and a wrong password is named once', async () => {
  const { chat } = await startWithPassword()
  const browser = openBrowser(chat)

  const shown = await browser.open('/login/')
  const refused = await browser.submit({ email: 'ada@example.com', password: 'wrong' })

  assert.match(shown.body, /<input id="keep"[^>]* checked>/)
  assert.equal(refused.text.split('The email address or the password is incorrect.').length, 2)
})
