import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser, PASSWORD, signIn, startWithPassword, submitPassword } from '../../../test/browser.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test('users see their sessions with the browser, the newest first, and which one is theirs', async () => {
  const { chat, ada } = await startWithPassword()
  const ben = await chat.user('ben')
  await submitPassword(chat, ben)
  await signIn(chat, ben)
  const first = await signIn(chat, ada, { isKept: true })
  await chat.clock.advance(60)
  await chat.request({
    method: 'POST',
    path: '/login/',
    headers: { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded', 'user-agent': FIREFOX },
    body: new URLSearchParams({ email: ada.email, password: PASSWORD }).toString(),
  })

  const { sessions } = (await first.call('GET /users/me/sessions')) as unknown as { sessions: Listed[] }

  const now = chat.clock.now()
  assert.deepEqual(
    sessions.map(({ id: _, ...session }) => session),
    [
      { browser: 'Firefox, Linux', opened_at: now, expires_at: now + 86_400, is_current: false },
      { browser: '', opened_at: now - 60, expires_at: now - 60 + 30 * 86_400, is_current: true },
    ],
  )
})

type Listed = { id: number; browser: string; opened_at: number; expires_at: number; is_current: boolean }

test('expired sessions are not listed', async () => {
  const { chat, ada } = await startWithPassword()
  await signIn(chat, ada)
  await chat.clock.advance(86_400)

  assert.deepEqual((await ada.succeed('GET /users/me/sessions')).sessions, [])
})

test('a closed session is logged out, and sessions of other users are not found', async () => {
  const { chat, ada } = await startWithPassword()
  const ben = await chat.user('ben')
  const [browser, other] = [await signIn(chat, ada), await signIn(chat, ada)]
  const [{ id }] = (await ada.succeed('GET /users/me/sessions')).sessions

  assert.equal((await ben.call(`DELETE /users/me/sessions/${id}`)).msg, 'No such session')
  await ada.succeed(`DELETE /users/me/sessions/${id}`)

  assert.deepEqual(
    [(await browser.call('GET /users/me')).status, (await other.call('GET /users/me')).status],
    [200, 401],
  )
  assert.equal((await ada.call(`DELETE /users/me/sessions/${id}`)).msg, 'No such session')
})

test('closing the other sessions keeps the current one, and the API keys', async () => {
  const { chat, ada } = await startWithPassword()
  const [browser, other] = [await signIn(chat, ada), await signIn(chat, ada)]

  const response = await browser.call('DELETE /users/me/sessions')

  assert.equal(response.status, 200)
  assert.deepEqual(
    [(await browser.call('GET /users/me')).status, (await other.call('GET /users/me')).status],
    [200, 401],
  )
  assert.equal((await ada.call('GET /users/me')).status, 200)
  assert.equal((await openBrowser(chat).open('/')).path, '/login/')
})

test('after 10 minutes, a session needs the password to close others, but not to close itself', async () => {
  const { chat, ada } = await startWithPassword()
  const [browser, other] = [await signIn(chat, ada), await signIn(chat, ada)]
  const { sessions } = (await browser.call('GET /users/me/sessions')) as unknown as { sessions: Listed[] }
  const idOf = (isCurrent: boolean) => sessions.find(({ is_current }) => is_current === isCurrent)?.id
  await chat.clock.advance(601)

  const refused = [
    await browser.call(`DELETE /users/me/sessions/${idOf(false)}`),
    await browser.call('DELETE /users/me/sessions'),
    await browser.call('DELETE /users/me/sessions', { password: 'wrong horse' }),
  ]
  const isOpen = (await other.call('GET /users/me')).status
  const closed = await browser.call(`DELETE /users/me/sessions/${idOf(false)}`, { password: PASSWORD })
  const all = await browser.call('DELETE /users/me/sessions', { password: PASSWORD })
  const own = await browser.call(`DELETE /users/me/sessions/${idOf(true)}`)

  assert.deepEqual(
    refused.map(({ msg }) => msg.split('.')[0]),
    ['Your current password is required', 'Your current password is required', 'Wrong password!'],
  )
  assert.deepEqual([isOpen, closed.result, all.result, own.result], [200, 'success', 'success', 'success'])
})
