import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { sessionsOf, signIn, startWithPassword } from '../../test/browser.ts'

const HOUR = 3600

/** Starts an organization in which an owner has set limits in minutes. */
async function startWithLimits(limits: Record<string, number | null>) {
  const { chat, ada } = await startWithPassword()
  const olga = await chat.user('olga', { role: Role.owner })
  await olga.succeed('PATCH /realm', limits)
  return { chat, ada, olga }
}

test('a session ends after the time without use, and use extends it', async () => {
  const { chat, ada } = await startWithLimits({ session_idle_minutes: 60 })
  const browser = await signIn(chat, ada, { isKept: true })

  await chat.clock.advance(0.9 * HOUR)
  const used = await browser.call('GET /users/me')
  await chat.clock.advance(0.9 * HOUR)
  const again = await browser.call('GET /users/me')
  await chat.clock.advance(HOUR)
  const late = await browser.call('GET /users/me')

  assert.deepEqual([used.status, again.status, late.status], [200, 200, 401])
})

test('polls and reports of presence alone do not extend a session', async () => {
  const { chat, ada } = await startWithLimits({ session_idle_minutes: 60 })
  const browser = await signIn(chat, ada, { isKept: true })
  const token = await browser.csrfToken()
  await chat.clock.advance(0.9 * HOUR)
  const [before] = await sessionsOf(chat)

  const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const answer = await chat.request({
    method: 'POST',
    path: '/json/users/me/presence',
    headers: {
      ...{ host: 'parley.test', cookie, 'x-csrftoken': token, 'sec-fetch-site': 'same-origin' },
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'status=active',
  })

  assert.equal(answer.status, 200)
  assert.deepEqual(await sessionsOf(chat), [before])
})

test('a session ends some time after the login, even if it is used', async () => {
  const { chat, ada } = await startWithLimits({ session_lifetime_minutes: 120 })
  const browser = await signIn(chat, ada, { isKept: true })

  await chat.clock.advance(1.9 * HOUR)
  const used = await browser.call('GET /users/me')
  await chat.clock.advance(0.1 * HOUR)
  const late = await browser.call('GET /users/me')

  assert.deepEqual([used.status, late.status], [200, 401])
})

test('new limits shorten open sessions of this organization only, and longer ones extend none', async () => {
  const { chat, ada, olga } = await startWithLimits({ session_idle_minutes: 600 })
  const other = await chat.organization('other')
  const eve = await chat.user('eve', { realm: other })
  await signIn(chat, ada, { isKept: true })
  const there = await signIn(chat, eve, { isKept: true, host: 'other.parley.test' })
  const expiries = async () =>
    (await sessionsOf(chat)).map(({ expiresAt }) => (expiresAt - chat.clock.now()) / HOUR).toSorted((a, b) => a - b)

  const before = await expiries()
  await olga.succeed('PATCH /realm', { session_idle_minutes: 60 })
  const shortened = await expiries()
  await olga.succeed('PATCH /realm', { session_idle_minutes: null, session_lifetime_minutes: 30 })
  const oldest = await expiries()
  await olga.succeed('PATCH /realm', { session_idle_minutes: 600, session_lifetime_minutes: null })

  assert.deepEqual(
    [before, shortened, oldest, await expiries()],
    [
      [10, 720],
      [1, 720],
      [0.5, 720],
      [0.5, 720],
    ],
  )
  assert.equal((await there.call('GET /users/me')).status, 200)
})

test('only owners change the limits, within bounds', async () => {
  const { chat, olga } = await startWithLimits({})
  const amy = await chat.user('amy', { role: Role.administrator })

  const byAdministrator = await amy.call('PATCH /realm', { session_idle_minutes: 60 })
  const tooShort = await olga.call('PATCH /realm', { session_idle_minutes: 1 })
  const tooLong = await olga.call('PATCH /realm', { session_lifetime_minutes: 181 * 24 * 60 })

  assert.deepEqual([byAdministrator.status, tooShort.status, tooLong.status], [400, 400, 400])
})
