import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateSync } from 'otplib'
import { changeRealmSettings } from '#organizations/change-realm-settings.ts'
import { findUser } from '#people/user-queries.ts'
import { findRealm } from '#realms/queries.ts'
import { BotType, Role } from '#rules/role.ts'
import {
  addApp,
  type Browser,
  logIn,
  openBrowser,
  PASSWORD,
  sessionsOf,
  signIn,
  submitPassword,
  type View,
} from '../../../test/browser.ts'
import { countStatements } from '../../../test/count-statements.ts'
import { onPostgres } from '../../../test/database.ts'
import { type Chat, type Person, startChat } from '../../../test/harness.ts'
import { createUser } from '../change-users.ts'
import { savePasskey } from './set-up.ts'

const DAY = 86_400

type Requirement = { second_factor_required_for?: string; second_factor_grace_days?: number }

/** Starts a server with Olga, an owner with an authenticator app, and Ada, who has none. */
async function start(requirement: Requirement = {}) {
  const chat = await startChat()
  const olga = await chat.user('olga', { role: Role.owner })
  const app = await addApp(chat, await signIn(chat, olga))
  const ada = await chat.user('ada')
  await submitPassword(chat, ada)
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'everyone', ...requirement })
  return { chat, olga, ada, app }
}

const isUsable = async (browser: Browser) => (await browser.call('GET /users/me')).status === 200

const dueAt = async (browser: Browser) => (await browser.call('GET /users/me/second_factors'))['due_at']

/** Enters the password, and returns the page to which that leads. */
async function enterPassword(browser: Browser, { email }: Person, path = '/login/') {
  await browser.open(path)
  return browser.submit({ email, password: PASSWORD })
}

/** Saves a passkey of the person that no device has. Returns its id. */
async function savePasskeyOf(chat: Chat, { id }: Person) {
  const passkey = { credentialId: 'one', publicKey: 'key', counter: 0, transports: '' }
  return chat.app.services.transaction((tx) => savePasskey(tx, id, passkey, 'One'))
}

/** Returns the code of an app that scanned the QR code of the page. */
const codeOn = (chat: Chat, { body }: View) =>
  generateSync({ secret: /secret=([A-Z2-7]+)/.exec(body)?.[1] ?? '', epoch: chat.clock.now() })

test('after the days of grace, an open session is of no use, and the login leads over the set-up to the page', async () => {
  const { chat, ada } = await start()
  const browser = await logIn(chat, ada.email, { isKept: true })
  await chat.clock.advance(7 * DAY - 1)
  const before = await isUsable(browser)
  await chat.clock.advance(1)

  const refused = await browser.call('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  const login = await browser.open('/login/?next=%2Fchannels%2F5')
  const setUp = await browser.submit({ email: ada.email, password: PASSWORD })
  const wrong = await browser.submit({ code: '000000' })
  const still = await isUsable(browser)
  const codes = await browser.submit({ code: codeOn(chat, wrong) })

  assert.deepEqual([before, refused['code'], still], [true, 'UNAUTHORIZED', false])
  assert.match(login.text, /Your organization requires two-step login\. Sign in to set it up\./)
  assert.match(setUp.text, /requires two-step login, so/)
  assert.equal(codeOn(chat, wrong), codeOn(chat, setUp))
  assert.match(wrong.text, /This code is wrong/)
  assert.equal(codes.text.match(/[a-z2-7]{4}(-[a-z2-7]{4}){5}/g)?.length, 10)
  assert.match(codes.body, /<a class="button" href="\/channels\/5">Continue<\/a>/)
  assert.equal(await isUsable(browser), true)
  assert.equal((await sessionsOf(chat)).filter(({ userId }) => userId === ada.id).length, 1)
})

test('turning the requirement off and on begins no new days of grace, and other days count from the same beginning', async () => {
  const { chat, olga, ada } = await start()
  const browser = await logIn(chat, ada.email, { isKept: true })
  const begun = chat.clock.now()
  await chat.clock.advance(5 * DAY)
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'nobody' })
  const meanwhile = await dueAt(browser)
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'everyone' })
  const again = await dueAt(browser)
  await olga.succeed('PATCH /realm', { second_factor_grace_days: 30 })
  const longer = await dueAt(browser)
  await olga.succeed('PATCH /realm', { second_factor_grace_days: 5 })

  assert.deepEqual([meanwhile, again, longer], [null, Math.floor(begun + 7 * DAY), Math.floor(begun + 30 * DAY)])
  assert.equal(await isUsable(browser), false)
})

test('the days of grace begin with a higher role, a new account, or a reactivation', async () => {
  const { chat, olga, ada } = await start({ second_factor_required_for: 'administrators' })
  const browser = await logIn(chat, ada.email, { isKept: true })
  const asMember = await dueAt(browser)
  await chat.clock.advance(8 * DAY)
  await olga.succeed(`PATCH /users/${ada.id}`, { role: Role.administrator })
  const raised = await dueAt(browser)
  const raisedAt = chat.clock.now()
  await olga.succeed(`PATCH /users/${ada.id}`, { role: Role.member })
  await chat.clock.advance(DAY)
  await olga.succeed(`PATCH /users/${ada.id}`, { role: Role.owner })
  const again = await dueAt(browser)
  const ben = await chat.user('ben')
  await olga.succeed(`DELETE /users/${ben.id}`)
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'everyone' })
  await chat.clock.advance(8 * DAY)
  await olga.succeed(`POST /users/${ben.id}/reactivate`)
  const cleo = await chat.app.services.transaction(async (tx) => {
    const realm = await findRealm(tx.db, chat.realm.id)
    const person = { deliveryEmail: 'cleo@example.com', fullName: 'Cleo', role: Role.member }
    return createUser(tx, realm ?? chat.realm, person)
  })

  assert.deepEqual([asMember, raised, again], [null, Math.floor(raisedAt + 7 * DAY), Math.floor(raisedAt + 7 * DAY)])
  assert.equal(await dueAt(await signIn(chat, ben)), Math.floor(chat.clock.now() + 7 * DAY))
  assert.equal(cleo.secondFactorRequiredAt, chat.clock.now())
})

test('the mobile and desktop apps get nothing before the set-up', async () => {
  const { chat, ada } = await start({ second_factor_grace_days: 0 })
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  const otp = 'a'.repeat(64)
  const [mobile, desktop] = [openBrowser(chat), openBrowser(chat)]

  const keysBefore = (await chat.app.services.db.selectFrom('apiKeys').selectAll().execute()).length
  const first = await enterPassword(mobile, ada, `/login/?mobile_flow_otp=${otp}`)
  const second = await enterPassword(desktop, ben, `/login/?desktop_flow_otp=${otp}`)
  const keysBetween = (await chat.app.services.db.selectFrom('apiKeys').selectAll().execute()).length
  const mobileCodes = await mobile.submit({ code: codeOn(chat, first) })
  const desktopCodes = await desktop.submit({ code: codeOn(chat, second) })

  assert.deepEqual([first.path, second.path], ['/login/second-factor/', '/login/second-factor/'])
  assert.equal(keysBefore, keysBetween)
  assert.match(mobileCodes.body, /<a class="button" href="zulip:\/\/login\?[^"]*otp_encrypted_api_key=/)
  assert.match(desktopCodes.body, /id="desktop-data" value="[0-9a-f]+"/)
  for (const { text } of [mobileCodes, desktopCodes]) assert.match(text, /These codes are only shown once/)
})

test('a password gives no API key without the factor, and keys that exist keep working', async () => {
  const { chat, ada } = await start({ second_factor_grace_days: 1 })
  const body = new URLSearchParams({ username: ada.email, password: PASSWORD }).toString()
  const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
  const fetchKey = () => chat.request({ method: 'POST', path: '/api/v1/fetch_api_key', headers, body })
  const early = await fetchKey()
  await chat.clock.advance(DAY)

  const late = await fetchKey()
  const byKey = await ada.call('GET /users/me')

  assert.deepEqual([early.status, late.status, byKey.status], [200, 403, 200])
  assert.equal(JSON.parse(late.body).code, 'SECOND_FACTOR_MISSING')
  assert.match(JSON.parse(late.body).msg, /Log in with a browser to set it up/)
})

test('the last factor stays after the days of grace, also if both are removed at once', async () => {
  const { chat, ada } = await start()
  const browser = await logIn(chat, ada.email, { isKept: true })
  await addApp(chat, browser)
  await browser.call('DELETE /users/me/totp')
  await addApp(chat, browser)
  const id = await savePasskeyOf(chat, ada)
  await chat.clock.advance(8 * DAY)

  const password = { password: PASSWORD }
  const answers = await Promise.all([
    browser.call('DELETE /users/me/totp', password),
    browser.call(`DELETE /users/me/passkeys/${id}`, password),
  ])

  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
  assert.match(
    String(answers.find(({ status }) => status === 400)?.['msg']),
    /Add a passkey or an app before you remove your last one/,
  )
  assert.equal(await isUsable(browser), true)
})

test('the set-up adds no factor to an account that has one meanwhile, and asks for that', async () => {
  const { chat, ada } = await start({ second_factor_grace_days: 0 })
  const [thief, browser] = [openBrowser(chat), openBrowser(chat)]
  const stolen = await enterPassword(thief, ada)
  const own = await enterPassword(browser, ada)

  const pages = await Promise.all([
    thief.submit({ code: codeOn(chat, stolen) }),
    browser.submit({ code: codeOn(chat, own) }),
  ])

  assert.equal(pages.filter(({ text }) => /These codes are only shown once/.test(text)).length, 1)
  assert.equal(pages.filter(({ text }) => /Enter the code that your authenticator app shows/.test(text)).length, 1)
  assert.equal((await isUsable(thief)) !== (await isUsable(browser)), true)
})

test('an owner requires a second factor only with one of their own, and nobody else changes that', async () => {
  const chat = await startChat()
  const [olga, amy] = [
    await chat.user('olga', { role: Role.owner }),
    await chat.user('amy', { role: Role.administrator }),
  ]
  const change = (person: Person, changes: Requirement) => person.call('PATCH /realm', changes)

  const without = await change(olga, { second_factor_required_for: 'administrators', second_factor_grace_days: 0 })
  const whileOff = await change(olga, { second_factor_grace_days: 3 })
  const { secret } = await addApp(chat, await signIn(chat, olga))
  const tooLong = await change(olga, { second_factor_grace_days: 31 })
  const allowed = await change(olga, { second_factor_required_for: 'administrators', second_factor_grace_days: 0 })
  const byAdministrator = await change(amy, { second_factor_required_for: 'nobody' })

  assert.match(without['msg'], /Set up two-step login for your own account first/)
  assert.deepEqual(
    [without, whileOff, tooLong, allowed, byAdministrator].map(({ status }) => status),
    [400, 200, 400, 200, 400],
  )
  await chat.clock.advance(60)
  const browser = openBrowser(chat)
  await enterPassword(browser, olga)
  await browser.submit({ code: generateSync({ secret, epoch: chat.clock.now() }) })
  assert.equal(await isUsable(browser), true)
})

test('people who join after the days of grace set a factor up before their first page', async () => {
  const { chat, olga } = await start({ second_factor_grace_days: 0 })
  const { invite_link: link } = await olga.succeed('POST /invites/multiuse', { invite_expires_in_minutes: 60 })
  const browser = openBrowser(chat)
  await browser.open(new URL(link).pathname)

  const page = await browser.submit({ email: 'new@example.com', full_name: 'New', password: 'a long enough phrase' })
  const before = browser.cookies.has('parley_session')
  await browser.submit({ code: codeOn(chat, page) })

  assert.equal(page.path, '/login/second-factor/')
  assert.deepEqual([before, await isUsable(browser)], [false, true])
})

const skip = onPostgres && 'statements are counted on SQLite'

test('a session past the days of grace costs no statement per call', { skip }, async () => {
  const { chat, olga, app } = await start({ second_factor_grace_days: 0 })
  await chat.clock.advance(60)
  const browser = openBrowser(chat)
  await enterPassword(browser, olga)
  await browser.submit({ code: generateSync({ secret: app.secret, epoch: chat.clock.now() }) })
  const ping = () => browser.call('GET /users/me/subscriptions')
  await ping()
  const required = await countStatements(ping)
  await chat.app.services.transaction((tx) =>
    changeRealmSettings(tx, chat.realm, { second_factor_required_for: 'nobody' }),
  )
  await ping()

  assert.equal(required, await countStatements(ping))
})

test('people get one email each time the requirement begins, and one two days before its end', async () => {
  const { chat, olga } = await start()
  const mails = async () => {
    await chat.app.jobs.secondFactorMail.settled()
    return (await chat.mail())
      .filter(({ subject }) => /two-step login/.test(subject))
      .map(({ to, subject }) => [...to, subject])
  }
  const begun = await mails()
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'nobody' })
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'everyone' })
  await chat.clock.advance(5 * DAY - 60)
  const between = await mails()
  await chat.clock.advance(3660)
  const reminded = await mails()
  await chat.clock.advance(3 * DAY)
  const after = await mails()

  const first = ['ada@example.com', 'Set up two-step login at Example']
  const second = ['ada@example.com', 'Two days left to set up two-step login at Example']
  assert.deepEqual(
    [begun, between, reminded, after],
    [[first], [first, first], [first, first, second], [first, first, second]],
  )
})

test('the first of two days of grace brings no reminder beside the first email', async () => {
  const { chat } = await start({ second_factor_grace_days: 2 })
  await chat.app.jobs.secondFactorMail.settled()

  const subjects = (await chat.mail()).map(({ subject }) => subject).filter((subject) => /two-step login/.test(subject))

  assert.deepEqual(subjects, ['Set up two-step login at Example'])
})

test('the requirement of an organization leaves the people of others alone', async () => {
  const { chat, olga } = await start({ second_factor_required_for: 'nobody' })
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  const { db, transaction } = chat.app.services
  const mails = async () => {
    await chat.app.jobs.secondFactorMail.settled()
    return (await chat.mail()).filter(({ to }) => to.includes(eve.email)).length
  }

  await olga.succeed('PATCH /realm', { second_factor_required_for: 'everyone' })
  const before = await findUser(db, eve.id)
  await transaction((tx) => changeRealmSettings(tx, other, { second_factor_required_for: 'everyone' }))
  const begun = await mails()
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'nobody' })
  const later = await mails()

  assert.equal(before?.secondFactorRequiredAt, null)
  assert.deepEqual([begun, later], [1, 1])
})

test('a session is of no use as soon as the last passkey is reset after the days of grace', async () => {
  const { chat, olga, ada } = await start()
  const browser = await logIn(chat, ada.email, { isKept: true })
  await savePasskeyOf(chat, ada)
  await chat.clock.advance(8 * DAY)

  const before = await isUsable(browser)
  await olga.succeed(`DELETE /users/${ada.id}/second_factors`)

  assert.deepEqual([before, await isUsable(browser)], [true, false])
})

test('the set-up at a login can take half an hour', async () => {
  const { chat, ada } = await start({ second_factor_grace_days: 0 })
  const [browser, late] = [openBrowser(chat), openBrowser(chat)]
  const page = await enterPassword(browser, ada)
  const latePage = await enterPassword(late, ada)

  await chat.clock.advance(1799)
  const wrong = await browser.submit({ code: '000000' })
  await chat.clock.advance(1)
  const expired = await late.submit({ code: codeOn(chat, latePage) })

  assert.equal(codeOn(chat, wrong), codeOn(chat, page))
  assert.equal(expired.path, '/login/?expired=1')
})

test('administrators list the people who have no second factor', async () => {
  const { chat, olga, ada } = await start()
  await savePasskeyOf(chat, await chat.user('pia'))
  const amy = await chat.user('amy', { role: Role.administrator })
  const ben = await chat.user('ben')
  await olga.succeed(`DELETE /users/${ben.id}`)
  await chat.user('helper', { botType: BotType.generic })

  const listed = await amy.succeed('GET /realm/second_factors')
  await olga.succeed('PATCH /realm', { second_factor_required_for: 'nobody' })
  const later = await amy.succeed('GET /realm/second_factors')

  assert.deepEqual(
    listed['users_without'].map(({ user_id }: { user_id: number }) => user_id),
    [ada.id, amy.id],
  )
  const begun = listed['users_without'][0].grace_began_at
  assert.deepEqual(listed['users_without'][0], { user_id: ada.id, due_at: begun + 7 * DAY, grace_began_at: begun })
  assert.deepEqual(later['users_without'][0], { user_id: ada.id, due_at: null, grace_began_at: begun })
})
