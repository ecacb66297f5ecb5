import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordAudit } from '#people/audit.ts'
import { saveUserFields } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { openBrowser, PASSWORD, signIn, submitPassword } from '../../../test/browser.ts'
import { type Chat, startChat } from '../../../test/harness.ts'
import { signInFileWith, startIdentityProvider } from '../../../test/identity-provider.ts'
import { PASSWORD_RESET_VALIDITY, requestPasswordReset } from '../reset-password.ts'

const FORGOTTEN = '/accounts/password/reset/'

async function startWithAda(settings: Parameters<typeof startChat>[0] = {}) {
  const chat = await startChat(settings)
  const ada = await chat.user('ada')
  await submitPassword(chat, ada)
  return { chat, ada, browser: openBrowser(chat) }
}

async function askFor(chat: Chat, email: string) {
  const browser = openBrowser(chat)
  await browser.open(FORGOTTEN)
  return browser.submit({ email })
}

/** Returns the path of the link in the newest email. */
async function mailedLink(chat: Chat): Promise<string> {
  const mail = (await chat.mail()).at(-1)
  return /http:\/\/parley\.test(\/accounts\/password\/reset\/[\w.-]+\/)/.exec(mail?.text ?? '')?.[1] ?? ''
}

test('a user can reset a forgotten password with a link sent by email', async () => {
  const { chat, ada, browser } = await startWithAda({ settings: { SMTP_URL: 'smtp://relay.test' } })

  const sent = await askFor(chat, ' ADA@example.com ')
  const link = await mailedLink(chat)
  const form = await browser.open(link)
  const done = await browser.submit({ password: 'another horse' })
  const home = await browser.submit({ password: 'another horse' })

  assert.match(sent.text, /Check your email/)
  assert.deepEqual(
    (await chat.mail()).map(({ to, subject }) => [to, subject]),
    [[['ada@example.com'], 'Choose a new password for Example']],
  )
  assert.match(form.text, /Choose a new password/)
  assert.equal(done.path, '/login/?email=ada%40example.com&password_changed=1')
  assert.match(done.text, /Your password was changed/)
  assert.equal(home.path, '/')
  assert.equal((await browser.call('GET /users/me'))['user_id'], ada.id)
})

test('the response is the same for every address, and only addresses with an account get an email', async () => {
  const { chat, ada } = await startWithAda()
  const ben = await chat.user('ben')
  await ben.succeed('DELETE /users/me')
  const robot = await chat.user('robot', { botType: 1, owner: ada })

  const responses = []
  for (const email of [ada.email, ben.email, robot.email, 'nobody@example.com', 'nobody@example.com']) {
    const { status, body } = await askFor(chat, email)
    responses.push({ status, body: body.replaceAll(email, 'EMAIL') })
  }

  for (const response of responses) assert.deepEqual(response, responses[0])
  assert.deepEqual(
    (await chat.mail()).map(({ to }) => to),
    [[ada.email]],
  )
})

test('with passwords turned off, no password is reset, and a link that was queued before says how to sign in', async () => {
  const SIGN_IN_FILE = signInFileWith(await startIdentityProvider())
  const { chat, ada, browser } = await startWithAda({ settings: { SIGN_IN_FILE } })
  await askFor(chat, ada.email)
  const link = await mailedLink(chat)
  const { transaction, db } = chat.app.services
  const realm = await findRealm(db, ada.realm.id)
  await chat.change({ authentication_methods: { Email: false } })
  const before = await chat.mail()

  const pages = [await browser.open(FORGOTTEN), await browser.open(link)]
  const posted = []
  for (const [path, body] of [
    [FORGOTTEN, 'email=ada@example.com'],
    [FORGOTTEN, 'email=nobody@example.com'],
    [link, 'password=another+horse'],
  ] as const) {
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    posted.push(await chat.request({ method: 'POST', path, headers, body }))
  }

  for (const { text } of pages) assert.match(text, /No password to reset.*Continue with Example SSO/)
  for (const { status, body } of posted) assert.deepEqual([status, body], [403, posted[0]?.body])
  assert.deepEqual(await chat.mail(), before)
  await transaction((tx) => requestPasswordReset(tx, realm!, ada.email))
  const mail = (await chat.mail()).at(-1)
  assert.equal(mail?.subject, 'How to sign in to Example')
  assert.doesNotMatch(mail?.text ?? '', /password\/reset/)
})

test('a link works once and for an hour, and expires when the password or the address changes', async () => {
  const { chat, ada, browser } = await startWithAda()
  const open = async (link: string) => (await browser.open(link)).status
  await askFor(chat, ada.email)
  const first = await mailedLink(chat)
  await askFor(chat, ada.email)
  const second = await mailedLink(chat)

  await chat.clock.advance(PASSWORD_RESET_VALIDITY - 1)
  assert.deepEqual([await open(first), await open(second)], [200, 200])
  await browser.submit({ password: 'another horse' })
  assert.deepEqual([await open(first), await open(second)], [404, 404])

  await askFor(chat, ada.email)
  const third = await mailedLink(chat)
  assert.equal(await open(third), 200)
  await chat.clock.advance(PASSWORD_RESET_VALIDITY)
  assert.equal(await open(third), 404)
})

test('if a link is used twice at once, only one password is set', async () => {
  const { chat, ada } = await startWithAda()
  await askFor(chat, ada.email)
  const link = await mailedLink(chat)
  const set = (password: string) =>
    chat.request({
      method: 'POST',
      path: link,
      headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    })

  const responses = await Promise.all([set('the first horse'), set('the second horse')])

  assert.deepEqual(responses.map(({ status }) => status).toSorted(), [302, 404])
})

test('a new password deletes all sessions and, unless they are kept, the API keys', async () => {
  const { chat, ada, browser } = await startWithAda()
  const elsewhere = await signIn(chat, ada)
  const keys = async () => (await ada.call('GET /users/me')).status

  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'another horse', end_api_keys: '' })
  assert.deepEqual([await keys(), (await elsewhere.call('GET /users/me')).status], [200, 401])

  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'a third horse' })
  assert.equal(await keys(), 401)
})

test('the first password of an account keeps the API keys that it already has', async () => {
  const { chat } = await startWithAda()
  const ben = await chat.user('ben')
  const browser = openBrowser(chat)

  await askFor(chat, ben.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'another horse' })

  assert.equal((await ben.call('GET /users/me')).status, 200)
})

test('a password that an operator has removed is not the first one, so the API keys are revoked', async () => {
  const { chat, ada, browser } = await startWithAda()
  await chat.app.services.transaction(async (tx) => {
    await saveUserFields(tx, ada.id, { passwordHash: null })
    await recordAudit(tx, chat.realm.id, 'password_changed', { targetId: ada.id, by: 'command' })
  })

  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'another horse' })

  assert.equal((await ada.call('GET /users/me')).status, 401)
})

test('revoking the API keys at a reset includes the keys of bots', async () => {
  const { chat, ada, browser } = await startWithAda()
  const bot = await chat.user('robo', { botType: 1, owner: ada })
  const status = async () => (await bot.call('GET /users/me')).status

  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'another horse', end_api_keys: '' })
  const kept = await status()
  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: 'a third horse' })

  assert.deepEqual([kept, await status()], [200, 401])
})

test('an unsafe password is refused beside its field, and the link stays valid', async () => {
  const { chat, ada, browser } = await startWithAda()
  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))

  const short = await browser.submit({ password: 'short' })
  const done = await browser.submit({ password: 'long enough' })

  assert.equal(short.status, 400)
  assert.match(
    short.body,
    /<p class="error" id="password-error" role="alert">The password must have at least 8 characters\.<\/p>/,
  )
  assert.match(done.path, /^\/login\//)
})

test('changed keys are invalid, and no key works in another organization', async () => {
  const { chat, ada, browser } = await startWithAda()
  await askFor(chat, ada.email)
  const link = await mailedLink(chat)
  const [content = '', seal = ''] = link.slice(FORGOTTEN.length, -1).split('.')
  const later = Buffer.from(JSON.stringify([ada.id, 9e9])).toString('base64url')
  await chat.organization('other')
  const elsewhere = openBrowser(chat, { host: 'other.parley.test' })

  for (const key of [`${later}.${seal}`, `${content}.`, content, `${content}.${seal}x`, 'x', 'bnVsbA.x'])
    assert.equal((await browser.open(`${FORGOTTEN}${key}/`)).status, 404, key)
  assert.equal((await elsewhere.open(link)).status, 404)
  assert.equal((await browser.open(link)).status, 200)
})

test('a user who was locked out by wrong passwords can log in at once with the new password', async () => {
  const { chat, ada, browser } = await startWithAda({ settings: { RATE_LIMITING: true } })
  await browser.open('/login/')
  for (let attempt = 0; attempt < 6; attempt += 1)
    await browser.submit({ email: ada.email, password: `wrong ${attempt}` })

  await askFor(chat, ada.email)
  await browser.open(await mailedLink(chat))
  await browser.submit({ password: PASSWORD })

  assert.equal((await browser.submit({ password: PASSWORD })).path, '/')
})

test('an address gets at most five emails an hour, a network can send thirty requests, and the response hides the first limit', async () => {
  const { chat, ada } = await startWithAda({ settings: { RATE_LIMITING: true } })

  const own = []
  for (let request = 0; request < 6; request += 1) own.push((await askFor(chat, ada.email)).status)
  const others = []
  for (let attempt = 0; attempt < 25; attempt += 1)
    others.push((await askFor(chat, `user${attempt}@example.com`)).status)

  assert.deepEqual(new Set(own), new Set([200]))
  assert.equal((await chat.mail()).length, 5)
  assert.deepEqual([others.slice(0, 24).every((status) => status === 200), others[24]], [true, 429])
})

test('without an email relay, the page refers users to the operator', async () => {
  const { chat, ada } = await startWithAda()

  assert.match(
    (await askFor(chat, ada.email)).text,
    /This server cannot send email If there is .+, the operator of the server can give you a link/,
  )
})

test('a test server, which delivers to its mailbox, says that it has sent an email', async () => {
  const { chat, ada } = await startWithAda({ isDisposable: true })

  assert.match((await askFor(chat, ada.email)).text, /Check your email If there is .+, we have sent an email to it/)
})
