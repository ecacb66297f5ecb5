import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPasswordHash, openPasswords } from '#people/password-hashes.ts'
import { changeWhileChecked, logIn, PASSWORD, startWithPassword } from '../../test/browser.ts'
import { requireMailedLink } from '../../test/email-changes.ts'

const NEEDED = /^Your current password is required\./

test('a session can replace API keys with the password, or within 10 minutes after the login', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await logIn(chat, ada.email)
  const fresh = await browser.call('POST /users/me/api_key/regenerate')
  await chat.clock.advance(601)

  const without = await browser.call('POST /users/me/api_key/regenerate')
  const wrong = await browser.call('POST /users/me/api_key/regenerate', { password: 'wrong horse' })
  const right = await browser.call('POST /users/me/api_key/regenerate', { password: PASSWORD })

  assert.equal(fresh.result, 'success')
  assert.match(without.msg, NEEDED)
  assert.deepEqual([without.status, without.code], [400, 'BAD_REQUEST'])
  assert.equal(wrong.msg, 'Wrong password!')
  assert.match(right['api_key'], /^\w{32}$/)
})

test('an API key can be replaced without a password', async () => {
  const { ada } = await startWithPassword()

  const response = await ada.call('POST /users/me/api_key/regenerate')

  assert.equal(response.result, 'success')
})

test('changing your own address requires the password, except in a session that has just logged in', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await logIn(chat, ada.email)
  const email = 'ada@example.org'
  const fresh = await browser.call('PATCH /settings', { email })
  await chat.clock.advance(601)

  const bySession = await browser.call('PATCH /settings', { email })
  const byKey = await ada.call('PATCH /settings', { email })
  const wrong = await ada.call('PATCH /settings', { email, old_password: 'wrong horse' })
  const same = await ada.call('PATCH /settings', { email: 'ada@example.com', full_name: 'Ada L.' })
  const right = await ada.call('PATCH /settings', { email, old_password: PASSWORD })
  const both = { email, old_password: PASSWORD, new_password: 'a newer horse' }
  const withPassword = await ada.call('PATCH /settings', both)

  assert.match(bySession.msg, NEEDED)
  assert.match(byKey.msg, NEEDED)
  assert.equal(wrong.msg, 'Wrong password!')
  assert.deepEqual([fresh.result, same.result, right.result, withPassword.result], Array(4).fill('success'))
})

test('the old address is notified at once of a requested change', async () => {
  const { chat, ada } = await startWithPassword()

  await ada.succeed('PATCH /settings', { email: 'ada@example.org', old_password: PASSWORD })

  const notices = (await chat.mail()).filter(({ to }) => to.includes('ada@example.com'))
  assert.deepEqual(
    notices.map(({ subject }) => subject),
    ['New email address for your account at Example'],
  )
  assert.match(notices[0]?.text ?? '', /ada@example\.org.*\/accounts\/password\/reset\//s)
  assert.match(await requireMailedLink(chat, 'ada@example.org'), /confirm_new_email/)
})

test('nothing changes if the password is changed while it is verified', async () => {
  const { chat, ada } = await startWithPassword()
  const browser = await logIn(chat, ada.email)
  await chat.clock.advance(601)
  await changeWhileChecked(chat, ada)

  const email = await ada.call('PATCH /settings', { email: 'ada@example.org', old_password: PASSWORD })
  const key = await browser.call('POST /users/me/api_key/regenerate', { password: PASSWORD })

  assert.equal(email.msg, 'Wrong password!')
  assert.equal(key.msg, 'Wrong password!')
  assert.equal((await ada.call('GET /users/me')).result, 'success')
  assert.deepEqual(await chat.mail(), [])
})

test('after 10 minutes, a session needs the password to create a bot, get its key, change its owner or its URL', async () => {
  const { chat, ada } = await startWithPassword()
  const ben = await chat.user('ben')
  const browser = await logIn(chat, ada.email)
  const hook = { full_name: 'Hook', short_name: 'hook', bot_type: 3, payload_url: 'https://example.org/a' }
  const { user_id } = await ada.succeed('POST /bots', hook)
  await chat.clock.advance(601)

  const calls: [string, Record<string, unknown>][] = [
    ['POST /bots', { full_name: 'Robo', short_name: 'robo' }],
    [`POST /bots/${user_id}/api_key/regenerate`, {}],
    [`POST /bots/${user_id}/api_keys`, {}],
    [`PATCH /bots/${user_id}`, { service_payload_url: 'https://example.org/b' }],
    [`PATCH /bots/${user_id}`, { bot_owner_id: ben.id }],
  ]
  const unchanged = await browser.call(`PATCH /bots/${user_id}`, { full_name: 'Hooky' })
  const without = []
  for (const [route, params] of calls) without.push((await browser.call(route, params)).msg)
  const wrong = []
  for (const [route, params] of calls) wrong.push((await browser.call(route, { ...params, password: 'x' })).msg)
  const right = []
  for (const [route, params] of calls) right.push((await browser.call(route, { ...params, password: PASSWORD })).result)

  assert.equal(unchanged.result, 'success')
  for (const message of without) assert.match(message, NEEDED)
  assert.deepEqual(wrong, Array(5).fill('Wrong password!'))
  assert.deepEqual(right, Array(5).fill('success'))
})

test('a hash that was made at another cost is replaced when its password is entered, also twice at once', async () => {
  const { chat, ada } = await startWithPassword()
  const { db, transaction, random } = chat.app.services
  const older = await openPasswords(random, { memory: 16, passes: 2 }).hash(PASSWORD)
  await transaction((tx) => tx.updateTable('users').set({ passwordHash: older }).where('id', '=', ada.id).execute())

  const logins = await Promise.all([1, 2].map(() => logIn(chat, ada.email)))
  const callers = await Promise.all(logins.map((browser) => browser.call('GET /users/me')))

  assert.deepEqual(
    callers.map((me) => me['user_id']),
    [ada.id, ada.id],
  )
  assert.match(String(await findPasswordHash(db, ada.id)), /m=8,t=1,p=1/)
  assert.equal((await (await logIn(chat, ada.email)).call('GET /users/me'))['user_id'], ada.id)
})
