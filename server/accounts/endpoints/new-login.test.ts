import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSession } from '#people/sessions.ts'
import { PASSWORD, startWithPassword } from '../../../test/browser.ts'
import type { Chat } from '../../../test/harness.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const NEWER_FIREFOX = FIREFOX.replaceAll('140.0', '141.0')
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1'
const DAY = 86_400

async function logInWith(
  chat: Chat,
  email: string,
  userAgent: string,
  password = PASSWORD,
  parameters: Record<string, string> = {},
): Promise<number> {
  const { status } = await chat.request({
    method: 'POST',
    path: '/login/',
    headers: {
      host: 'parley.test',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': userAgent,
    },
    body: new URLSearchParams({ email, password, ...parameters }).toString(),
  })
  return status
}

const subjects = async (chat: Chat) => (await chat.mail()).map(({ to, subject }) => [...to, subject])
const NEW_LOGIN = ['ada@example.com', 'New login to your account at Example']

/** Starts a server with Ada, who has logged in with a browser whose name is not known. */
async function startWithLogin() {
  const { chat, ada } = await startWithPassword()
  assert.equal(await logInWith(chat, ada.email, 'curl/8.0'), 302)
  return { chat, ada, transaction: chat.app.services.transaction }
}

test('the user gets one email about a login in a new browser, with time, browser and network address', async () => {
  const { chat, ada } = await startWithLogin()
  await ada.succeed('PATCH /settings', { timezone: 'Europe/Berlin', twenty_four_hour_time: true })

  await logInWith(chat, ada.email, FIREFOX)
  await logInWith(chat, ada.email, NEWER_FIREFOX)
  await logInWith(chat, ada.email, SAFARI, 'wrong horse')
  const before = await subjects(chat)
  await logInWith(chat, ada.email, SAFARI)

  assert.deepEqual(before, [NEW_LOGIN])
  assert.deepEqual(await subjects(chat), [NEW_LOGIN, NEW_LOGIN])
  const [{ text } = { text: '' }] = await chat.mail()
  assert.match(text, /- Time: \w+ \d+, \d{4} at \d\d:\d\d:\d\d GMT\+1\n/)
  assert.match(text, /- Browser: Firefox, Linux\n- IP address: 127\.0\.0\.1\n/)
  assert.match(text, /http:\/\/parley\.test\/accounts\/password\/reset\//)
  assert.match(text, /http:\/\/parley\.test\/settings\/account/)
})

test('no email is sent about the first login of an account', async () => {
  const { chat, ada } = await startWithPassword()

  assert.equal(await logInWith(chat, ada.email, FIREFOX), 302)

  assert.deepEqual(await subjects(chat), [])
})

test('each login with the mobile app sends an email, even from a known browser', async () => {
  const { chat, ada } = await startWithLogin()

  await logInWith(chat, ada.email, 'curl/8.0', PASSWORD, { mobile_flow_otp: 'a'.repeat(64) })

  assert.deepEqual(await subjects(chat), [NEW_LOGIN])
})

test('the email contains nothing from the User-Agent header except known names', async () => {
  const { chat, ada } = await startWithPassword()
  await logInWith(chat, ada.email, FIREFOX)

  await logInWith(chat, ada.email, 'Visit evil.example now <b>')

  const [mail] = await chat.mail()
  assert.match(mail?.text ?? '', /- Browser: unknown\n/)
  assert.doesNotMatch(`${mail?.text} ${mail?.html}`, /evil|Visit/)
})

test('a browser stays known after it logs out, and is forgotten after half a year', async () => {
  const { chat, ada, transaction } = await startWithLogin()
  await logInWith(chat, ada.email, FIREFOX)
  await transaction((tx) => tx.deleteFrom('sessions').execute())

  await logInWith(chat, ada.email, FIREFOX)
  const after = await subjects(chat)
  await transaction(async (tx) => {
    await tx.deleteFrom('sessions').execute()
    await tx
      .updateTable('knownPlaces')
      .set({ lastAt: tx.now - 181 * DAY })
      .execute()
  })
  await logInWith(chat, ada.email, FIREFOX)

  assert.deepEqual(after, [NEW_LOGIN])
  assert.deepEqual(await subjects(chat), [NEW_LOGIN, NEW_LOGIN])
})

test('a browser that was logged in before logins were remembered is known', async () => {
  const { chat, ada, transaction } = await startWithLogin()
  await transaction((tx) => openSession(tx, ada.id, { isKept: true, userAgent: FIREFOX }))
  await transaction((tx) => tx.deleteFrom('knownPlaces').execute())

  await logInWith(chat, ada.email, FIREFOX)

  assert.deepEqual(await subjects(chat), [])
})

test('no email is sent in the first minutes of an account, or to users who turned it off', async () => {
  const { chat, ada, transaction } = await startWithLogin()
  const join = (joinedAt: number) =>
    transaction((tx) => tx.updateTable('users').set({ joinedAt }).where('id', '=', ada.id).execute())
  await join(chat.clock.now() - 299)
  assert.equal(await logInWith(chat, ada.email, FIREFOX), 302)
  await join(chat.clock.now() - DAY)
  await ada.succeed('PATCH /settings', { enable_login_emails: false })

  assert.equal(await logInWith(chat, ada.email, SAFARI), 302)

  assert.deepEqual(await subjects(chat), [])
})
