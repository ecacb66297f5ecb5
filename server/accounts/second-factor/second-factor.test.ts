import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSync } from 'otplib'
import { findTrustedBrowsers, totpAddress, trustBrowser } from '#people/second-factors.ts'
import { Role } from '#rules/role.ts'
import {
  addApp,
  type Browser,
  logIn,
  openBrowser,
  PASSWORD,
  sessionsOf,
  signIn,
  startWithPassword,
  submitPassword,
} from '../../../test/browser.ts'
import type { Chat, Person } from '../../../test/harness.ts'

/** Starts a server with Ada, who has an authenticator app. `code` returns the code that it shows at an offset in seconds. */
async function startWithApp(settings: Parameters<typeof startWithPassword>[0] = {}) {
  const { chat, ada } = await startWithPassword(settings)
  const first = await signIn(chat, ada)
  const { secret, codes } = await addApp(chat, first)
  await chat.clock.advance(60)
  const code = (offset = 0) => generateSync({ secret, epoch: chat.clock.now() + offset })
  return { chat, ada, first, codes, code }
}

/** Returns a browser that has entered the password and is asked for the second factor. */
async function enterPassword(chat: Chat, { email }: Person, browser = openBrowser(chat), path = '/login/') {
  await browser.open(path)
  const page = await browser.submit({ email, password: PASSWORD })
  assert.equal(page.path, '/login/second-factor/')
  return browser
}

const isLoggedIn = async (browser: Browser) => (await browser.call('GET /users/me')).status === 200

test('a login needs a code of the app, and then leads to the requested page', async () => {
  const { chat, ada, code } = await startWithApp()

  const browser = await enterPassword(chat, ada, openBrowser(chat), '/login/?next=%2Fchannels%2F5')
  const before = await isLoggedIn(browser)
  const page = await browser.submit({ code: ` ${code().slice(0, 3)} ${code().slice(3)}` })

  assert.equal(before, false)
  assert.equal(page.path, '/channels/5')
  assert.equal(await isLoggedIn(browser), true)
  assert.equal((await sessionsOf(chat)).length, 2)
})

test('without a second factor, nothing changes', async () => {
  const { chat, ada } = await startWithPassword()

  assert.equal(await isLoggedIn(await logIn(chat, ada.email)), true)
})

test('a code of the step before or after counts, and older and newer ones do not', async () => {
  const { chat, ada, code } = await startWithApp()
  const results = []
  for (const offset of [-60, 60, -30, 30]) {
    const browser = await enterPassword(chat, ada)
    results.push((await browser.submit({ code: code(offset) })).status)
    await chat.clock.advance(1)
  }

  assert.deepEqual(results, [400, 400, 200, 200])
})

test('a code works once, also for a login that happens at the same time', async () => {
  const { chat, ada, code } = await startWithApp()
  const browsers = [await enterPassword(chat, ada), await enterPassword(chat, ada), await enterPassword(chat, ada)]

  const pages = await Promise.all(browsers.slice(0, 2).map((browser) => browser.submit({ code: code() })))
  const replayed = await browsers[2]?.submit({ code: code() })

  assert.deepEqual(pages.map(({ status }) => status).toSorted(), [200, 400])
  assert.equal(replayed?.status, 400)
  assert.match(replayed?.text ?? '', /This code is wrong, or it was used before/)
})

test('after five wrong codes, the right one is refused for half an hour, in all browsers', async () => {
  const { chat, ada, code } = await startWithApp({ settings: { RATE_LIMITING: true } })
  const browser = await enterPassword(chat, ada)
  for (let attempt = 0; attempt < 5; attempt += 1) await browser.submit({ code: '000000' })

  const locked = await (await enterPassword(chat, ada)).submit({ code: code() })
  await chat.clock.advance(1800)
  const open = await (await enterPassword(chat, ada)).submit({ code: code() })

  assert.equal(locked.status, 429)
  assert.match(locked.text, /Too many wrong codes\. Try again in 30 minutes\./)
  assert.equal(open.path, '/')
})

test('the first factor counts for ten minutes, and not after the password was changed or for another browser', async () => {
  const { chat, ada, code } = await startWithApp()
  const late = await enterPassword(chat, ada)
  await chat.clock.advance(601)
  const expired = await late.submit({ code: code() })
  const changed = await enterPassword(chat, ada)
  await submitPassword(chat, ada)
  const overtaken = await changed.submit({ code: code() })
  const stranger = await openBrowser(chat).open('/login/second-factor/')

  assert.match(expired.text, /Your login took too long/)
  assert.equal(overtaken.path, '/login/?expired=1')
  assert.equal(stranger.path, '/login/?expired=1')
})

test('the proof of the first factor works at no other organization and for no other user', async () => {
  const { chat, ada, code } = await startWithApp()
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  await submitPassword(chat, eve)
  const browser = await enterPassword(chat, ada)
  const elsewhere = openBrowser(chat, { host: 'other.parley.test' })
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)
  const there = await elsewhere.open('/login/second-factor/')
  const ben = await chat.user('ben')
  await addApp(chat, await signIn(chat, ben))
  await chat.clock.advance(60)

  const withCodeOfOther = await (await enterPassword(chat, ben)).submit({ code: code() })

  assert.equal(there.path, '/login/?expired=1')
  assert.equal(withCodeOfOther.status, 400)
})

test('each recovery code works once, an email says so, and new ones replace the rest', async () => {
  const { chat, ada, first, codes } = await startWithApp()
  const [one = '', two = ''] = codes

  const page = await (await enterPassword(chat, ada)).submit({ code: one.toUpperCase() })
  const again = await (await enterPassword(chat, ada)).submit({ code: one })
  const listed = await first.call('GET /users/me/second_factors')
  const { recovery_codes } = await first.call('POST /users/me/recovery_codes')
  const old = await (await enterPassword(chat, ada)).submit({ code: two })
  const fresh = await (await enterPassword(chat, ada)).submit({ code: recovery_codes[0].replaceAll('-', ' ') })

  assert.equal(new Set(codes).size, 10)
  for (const code of codes) assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/)
  assert.deepEqual([page.path, again.status, old.status, fresh.path], ['/', 400, 400, '/'])
  assert.equal(listed['recovery_codes_left'], 9)
  const mail = await chat.mail()
  assert.match(mail.find(({ subject }) => /recovery code was used/.test(subject))?.text ?? '', /9 codes are left/)
})

test('a trusted browser is not asked for 30 days, or until its user forgets it', async () => {
  const { chat, ada, first, code } = await startWithApp()
  const browser = await enterPassword(chat, ada)
  await browser.submit({ code: code(), trust: 'on' })
  const asks = async () => {
    browser.cookies.delete('parley_session')
    await browser.open('/login/')
    return (await browser.submit({ email: ada.email, password: PASSWORD })).path === '/login/second-factor/'
  }
  const trusted = await asks()
  const { trusted_browsers } = await first.call('GET /users/me/second_factors')
  await chat.app.services.transaction((tx) =>
    tx.updateTable('trustedBrowsers').set({ expiresAt: chat.clock.now() }).execute(),
  )
  const late = await asks()
  await chat.clock.advance(30)
  await browser.submit({ code: code(), trust: 'on' })
  const again = await asks()
  await browser.call('DELETE /users/me/trusted_browsers')
  const forgotten = await asks()

  assert.deepEqual(
    trusted_browsers.map(({ created_at, expires_at }: Record<string, number>) => expires_at! - created_at!),
    [30 * 86_400],
  )
  assert.deepEqual([trusted, late, again, forgotten], [false, true, false, true])
})

test('a browser is trusted for one user, and the newest 20 of a user are', async () => {
  const { chat, ada, code } = await startWithApp()
  const ben = await chat.user('ben')
  await addApp(chat, await signIn(chat, ben))
  const browser = await enterPassword(chat, ada)
  await browser.submit({ code: code(), trust: 'on' })
  const { db, transaction } = chat.app.services
  const trusted = () => findTrustedBrowsers(db, ada.id, chat.clock.now())

  const asBen = openBrowser(chat)
  asBen.cookies.set('parley_trusted_browser', browser.cookies.get('parley_trusted_browser') ?? '')
  await enterPassword(chat, ben, asBen)
  const [first] = await trusted()
  for (let count = 0; count < 19; count += 1) await transaction((tx) => trustBrowser(tx, ada.id, ''))
  const full = await trusted()
  await transaction((tx) => trustBrowser(tx, ada.id, ''))
  const after = await trusted()

  assert.deepEqual([full.length, full.at(-1)], [20, first])
  assert.deepEqual(after.slice(1), full.slice(0, -1))
})

test('a colon in the name of the organization does not cut the name of the account in the app', async () => {
  const address = await totpAddress('ABCD', { issuer: 'Tea: green', label: 'ada@example.com' })

  assert.equal(decodeURIComponent(new URL(address).pathname).split(':').at(-1), 'ada@example.com')
  assert.equal(new URL(address).searchParams.get('issuer'), 'Tea  green')
})

test('a new password forgets trusted browsers, but keeps the second factor', async () => {
  const { chat, ada, code } = await startWithApp()
  const browser = await enterPassword(chat, ada)
  await browser.submit({ code: code(), trust: 'on' })
  const changed = await browser.call('PATCH /settings', { old_password: PASSWORD, new_password: 'another horse' })

  browser.cookies.delete('parley_session')
  await browser.open('/login/')
  const page = await browser.submit({ email: ada.email, password: 'another horse' })

  assert.equal(changed.status, 200)
  assert.equal(page.path, '/login/second-factor/')
})

test('the password alone gives no API key', async () => {
  const { chat, ada } = await startWithApp()
  const body = new URLSearchParams({ username: ada.email, password: PASSWORD }).toString()
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }

  const answer = await chat.request({ method: 'POST', path: '/api/v1/fetch_api_key', headers, body })

  assert.equal(answer.status, 403)
  assert.match(JSON.parse(answer.body).msg, /Create a key in the browser, under Settings → API keys/)
})

test('adding an app needs a right code and a recent login, keeps the session, and can log out the others', async () => {
  const { chat, ada } = await startWithPassword()
  const [browser, other] = [await signIn(chat, ada), await logIn(chat, ada.email)]
  const { secret, key } = await browser.call('POST /users/me/totp/secret')
  const code = () => generateSync({ secret, epoch: chat.clock.now() })
  const add = (given = {}) => browser.call('POST /users/me/totp', { key, code: code(), ...given })

  const wrong = await add({ code: '000000' })
  const foreign = await add({ key: 'AAAA' })
  await chat.clock.advance(601)
  const old = await add()
  const wrongPassword = await add({ password: 'a wrong one' })
  const added = await add({ password: PASSWORD, log_out_others: true })
  const twice = await add({ password: PASSWORD })
  const late = await browser.call('POST /users/me/totp/secret')
  await chat.clock.advance(1800)
  const expired = await add({ key: late['key'], password: PASSWORD })

  assert.deepEqual(
    [wrong, foreign, old, wrongPassword, twice, expired].map(({ msg }) => msg),
    [
      'This code is wrong, or it was used before.',
      'This took too long. Start again with a new QR code.',
      'Your current password is required. Send it as password, or log in again.',
      'Wrong password!',
      'You already have an authenticator app. Remove it first.',
      'This took too long. Start again with a new QR code.',
    ],
  )
  assert.equal(added['recovery_codes'].length, 10)
  assert.deepEqual([await isLoggedIn(browser), await isLoggedIn(other)], [true, false])
  assert.deepEqual(
    (await chat.mail()).map(({ subject }) => subject),
    ['An authenticator app was added at Example'],
  )
})

test('the database holds neither the secret of an app nor a recovery code', async () => {
  const { chat, first } = await startWithApp()
  const { recovery_codes } = await first.call('POST /users/me/recovery_codes')
  const { db } = chat.app.services
  const rows = [
    ...(await db.selectFrom('totpSecrets').selectAll().execute()),
    ...(await db.selectFrom('recoveryCodes').selectAll().execute()),
  ]

  const text = JSON.stringify(rows)
  for (const code of recovery_codes) assert.equal(text.includes(code.replaceAll('-', '')), false)
  assert.doesNotMatch(text, /"secret":"[A-Z2-7]{32}"/)
})

test('a code confirms the session for ten minutes, so that an account without a password can change its factors', async () => {
  const { chat, ada, first, code } = await startWithApp()
  const { transaction } = chat.app.services
  await transaction((tx) => tx.updateTable('users').set({ passwordHash: null }).where('id', '=', ada.id).execute())
  await chat.clock.advance(601)

  const refused = await first.call('DELETE /users/me/totp')
  const wrong = await first.call('POST /users/me/confirmation', { code: '000000' })
  const confirmed = await first.call('POST /users/me/confirmation', { code: code() })
  const removed = await first.call('DELETE /users/me/totp')
  const left = await first.call('GET /users/me/second_factors')

  assert.deepEqual([refused.status, wrong.status, confirmed.status, removed.status], [400, 400, 200, 200])
  assert.deepEqual([left['totp_added_at'], left['recovery_codes_left']], [null, 0])
})

test('an administrator resets the factors of members, and only an owner those of owners', async () => {
  const { chat, ada, first } = await startWithApp()
  const [admin, owner] = [
    await chat.user('amy', { role: Role.administrator }),
    await chat.user('olga', { role: Role.owner }),
  ]
  await addApp(chat, await signIn(chat, owner))
  const ben = await chat.user('ben')

  const byMember = await ben.call(`DELETE /users/${ada.id}/second_factors`)
  const ofOwner = await admin.call(`DELETE /users/${owner.id}/second_factors`)
  const ofMember = await admin.call(`DELETE /users/${ada.id}/second_factors`)
  const login = await logIn(chat, ada.email)

  assert.deepEqual([byMember.status, ofOwner.status, ofMember.status], [400, 400, 200])
  assert.equal(await isLoggedIn(login), true)
  assert.equal(await isLoggedIn(first), true)
  assert.match((await chat.mail()).at(-1)?.text ?? '', /amy removed your authenticator app/i)
})
