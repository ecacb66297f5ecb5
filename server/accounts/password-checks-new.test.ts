import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Chat, startChat } from '../../test/harness.ts'

/** Checks a password as a form of this server does. */
const check = (chat: Chat, password: string, organization = '') =>
  chat.request({
    method: 'POST',
    path: '/json/passwords/check',
    headers: {
      host: 'parley.test',
      origin: 'http://parley.test',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ password, email: 'ada@example.com', organization }).toString(),
  })

test('a form learns whether a new password would be accepted, by the rule of the server', async () => {
  const chat = await startChat()
  const cases: [password: string, organization: string, problem: string | null][] = [
    ['copper lantern orbit', '', null],
    ['Password2026', '', 'This password is too easy to guess.'],
    ['fjordstudio', 'Fjord Studio', 'This password is too easy to guess.'],
    ['fjordstudio', '', null],
    ['Ada@example.com', '', 'The password cannot be the email address.'],
    ['short', '', 'The password must have at least 8 characters.'],
  ]

  for (const [password, organization, problem] of cases)
    assert.deepEqual(
      JSON.parse((await check(chat, password, organization)).body),
      { result: 'success', msg: '', problem },
      password,
    )
})

test('password checks are limited for each network', async () => {
  const chat = await startChat({ settings: { RATE_LIMITING: true } })
  for (let count = 0; count < 120; count += 1) assert.equal((await check(chat, 'short')).status, 200)

  assert.equal((await check(chat, 'short')).status, 429)
})
