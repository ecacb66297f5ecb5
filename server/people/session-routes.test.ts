import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { PASSWORD, signIn } from '../../test/browser.ts'
import { countStatements } from '../../test/count-statements.ts'
import { startChat } from '../../test/harness.ts'

async function startSignedIn(settings: Parameters<typeof startChat>[0] = {}) {
  const chat = await startChat(settings)
  const ada = await chat.user('ada', { role: Role.owner })
  const browser = await signIn(chat, ada)
  return { chat, ada, browser }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('every endpoint is under /json as well, for logged-in users', async () => {
  const { chat, ada, browser } = await startSignedIn()
  await chat.channel('general', [ada])

  const sent = await browser.call('POST /messages', { type: 'channel', to: 'general', topic: 'hello', content: 'Hi' })
  const message = await browser.call(`GET /messages/${sent['id']}`)
  const presence = await browser.call('POST /users/me/presence', { status: 'active', zeal: 1 })

  assert.equal(sent.result, 'success')
  assert.equal(message['message']['content'], '<p>Hi</p>')
  assert.deepEqual(presence['ignored_parameters_unsupported'], ['zeal'])
})

test('messages sent with a session have the client `website`, and are read by their sender', async () => {
  const { chat, ada, browser } = await startSignedIn()
  await chat.channel('general', [ada])
  const message = { type: 'channel', to: 'general', topic: 'hello', content: 'Hi' }

  const { id } = await browser.call('POST /messages', message, { 'user-agent': 'Mozilla/5.0 (X11)' })

  const sent = (await ada.succeed(`GET /messages/${id}`))['message']
  assert.deepEqual([sent.client, sent.flags], ['website', ['read']])
})

test('requests without a session are refused, even with an API key, and browsers do not ask for a password', async () => {
  const { chat, ada } = await startSignedIn()
  const authorization = `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}`

  const attempts: Record<string, string>[] = [
    {},
    { authorization },
    { cookie: 'parley_session=' },
    { cookie: `parley_session=${'A'.repeat(43)}` },
  ]
  for (const headers of attempts) {
    const response = await chat.request({
      method: 'GET',
      path: '/json/users/me',
      headers: { host: 'parley.test', ...headers },
    })

    assert.equal(response.status, 401)
    assert.deepEqual(JSON.parse(response.body), {
      result: 'error',
      msg: 'Not logged in: API authentication or user session required',
      code: 'UNAUTHORIZED',
    })
    assert.equal(response.headers['www-authenticate'], 'Session realm="parley"')
    assert.equal(response.headers['access-control-allow-origin'], undefined)
  }
})

test('a session does not authenticate under /api', async () => {
  const { chat, browser } = await startSignedIn()
  const [token] = browser.cookies.values()

  const response = await chat.request({
    method: 'GET',
    path: '/api/v1/users/me',
    headers: { host: 'parley.test', cookie: `parley_session=${token}` },
  })

  assert.equal(response.status, 401)
})

test('unsafe requests need the CSRF token of the session, and requests from other sites are refused', async () => {
  const { chat, ada, browser } = await startSignedIn()
  const [cookie] = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const other = await signIn(chat, await chat.user('ben'))
  const token = await browser.csrfToken()
  const send = async (headers: Record<string, string>) => {
    const response = await chat.request({
      method: 'PATCH',
      path: '/json/settings',
      headers: { host: 'parley.test', cookie: cookie ?? '', ...form, ...headers },
      body: 'full_name=Mallory',
    })
    const { code, msg } = JSON.parse(response.body)
    return [response.status, code, msg]
  }

  const missing = 'CSRF error: The CSRF token is missing.'
  const invalid = 'CSRF error: The CSRF token is not valid.'
  const foreign = 'CSRF error: The request comes from another site.'
  assert.deepEqual(await send({}), [403, 'CSRF_FAILED', missing])
  assert.deepEqual(await send({ 'x-csrftoken': '' }), [403, 'CSRF_FAILED', invalid])
  assert.deepEqual(await send({ 'x-csrftoken': await other.csrfToken() }), [403, 'CSRF_FAILED', invalid])
  const origins: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://evil.test' },
    { origin: 'null' },
    { origin: 'http://other.parley.test' },
  ]
  for (const from of origins)
    assert.deepEqual(await send({ 'x-csrftoken': token, ...from }), [403, 'CSRF_FAILED', foreign])
  assert.equal((await ada.succeed('GET /users/me'))['full_name'], 'Ada')
  // A proxy accepts https where the server gets http.
  assert.equal((await send({ 'x-csrftoken': token, origin: 'https://parley.test' }))[0], 200)
  assert.equal((await ada.succeed('GET /users/me'))['full_name'], 'Mallory')
})

test('a cached session needs no query', async () => {
  const { ada, browser } = await startSignedIn()
  await browser.call('GET /users/me')
  await ada.call('GET /users/me')

  const bySession = await countStatements(() => browser.call('GET /users/me'))
  const byKey = await countStatements(() => ada.call('GET /users/me'))

  assert.equal(bySession, byKey)
})

test('requests with a session and with a key share the rate limit', async () => {
  const { ada, browser } = await startSignedIn({ settings: { RATE_LIMITING: true, RATE_LIMITING_RULES: [[60, 3]] } })

  await ada.call('GET /users/me')
  const third = await browser.call('GET /users/me')
  await browser.call('GET /users/me')
  const refused = await browser.call('GET /users/me')

  assert.equal(third.status, 200)
  assert.deepEqual([refused.status, refused.code], [429, 'RATE_LIMIT_HIT'])
})

test('deactivating an account closes its sessions permanently', async () => {
  const { ada, chat } = await startSignedIn()
  const ben = await chat.user('ben')
  const browser = await signIn(chat, ben)

  await ada.succeed(`DELETE /users/${ben.id}`)
  const ended = await browser.call('GET /users/me')
  await ada.succeed(`POST /users/${ben.id}/reactivate`)
  const back = await browser.call('GET /users/me')

  assert.deepEqual([ended.status, ended.code, back.status], [401, 'UNAUTHORIZED', 401])
})

test('a new password closes all other sessions of the account', async () => {
  const { ada, chat, browser } = await startSignedIn()
  const elsewhere = await signIn(chat, ada)
  const ben = await signIn(chat, await chat.user('ben'))

  await browser.call('PATCH /settings', { old_password: PASSWORD, new_password: 'another horse' })
  const standing = await Promise.all([browser, elsewhere, ben].map((first) => first.call('GET /users/me')))

  assert.deepEqual(
    standing.map(({ status }) => status),
    [200, 401, 200],
  )
  await ada.succeed('PATCH /settings', { old_password: 'another horse', new_password: 'a third horse' })
  assert.equal((await browser.call('GET /users/me')).status, 401)
})

test('a waiting poll is refused when its session closes', async () => {
  const { browser } = await startSignedIn()
  const { queue_id } = await browser.call('POST /register', { event_types: ['message'] })
  const poll = browser.call('GET /events', { queue_id, last_event_id: -1 })
  await browser.open('/')

  await browser.submit()

  const refused = await poll
  assert.deepEqual([refused.status, refused.code], [401, 'UNAUTHORIZED'])
})

test('pictures and files can be read with a session', async () => {
  const { chat, ada, browser } = await startSignedIn()
  const [cookie = ''] = [...browser.cookies].map(([name, value]) => `${name}=${value}`)
  const uploaded = await chat.request({
    method: 'POST',
    path: '/json/user_uploads',
    headers: {
      host: 'parley.test',
      cookie,
      'x-csrftoken': await browser.csrfToken(),
      'content-type': 'multipart/form-data; boundary=x',
    },
    body: '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--x--\r\n',
  })
  const { url } = JSON.parse(uploaded.body)
  const read = (path: string, headers: Record<string, string>) =>
    chat.request({ method: 'GET', path, headers: { host: 'parley.test', ...headers } })

  const file = await read(url, { cookie })
  const picture = await read(`/avatar/${ada.id}`, { cookie })

  assert.deepEqual([file.status, file.body], [200, 'hello'])
  assert.equal(picture.status, 302)
  assert.match(String(picture.headers['location']), /gravatar/)
  assert.equal((await read(url, {})).status, 401)
  assert.equal((await read(url, { accept: 'text/html' })).headers['location'], `/login/?next=${url}`)
})

test('a refusal names its parameter in a header, for requests with a session only', async () => {
  const { chat, ada, browser } = await startSignedIn()
  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const session = { host: 'parley.test', cookie, 'x-csrftoken': await browser.csrfToken() }
  const key = { authorization: `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString('base64')}` }
  const createBot = async (path: string, credentials: Record<string, string>, body: string) => {
    const { status, headers } = await chat.request({ method: 'POST', path, headers: { ...form, ...credentials }, body })
    assert.equal(status, 400)
    return headers['refused-field']
  }

  const fields = [
    await createBot('/json/bots', session, 'full_name=&short_name=build'),
    await createBot('/json/bots', session, 'full_name=Build&short_name=build&bot_type=x'),
    await createBot('/json/bots', session, 'full_name=Build'),
  ]
  const withKey = await createBot('/api/v1/bots', key, 'full_name=&short_name=build')

  assert.deepEqual(fields, ['full_name', 'bot_type', 'short_name'])
  assert.equal(withKey, undefined)
})
