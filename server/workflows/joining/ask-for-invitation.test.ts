import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Chat } from '../../../test/harness.ts'
import { accept, doConfirm, joinBy, keyOfInvitation, keyOfLink, startWithOwner } from '../../../test/joining.ts'

const events = async (chat: Chat, person: Parameters<Chat['eventsOf']>[0]) =>
  (await chat.eventsOf(person)).flatMap(({ type, message }) =>
    type === 'message' ? [(message as { content: string }).content] : [],
  )

test('asking for a new invitation notifies the inviter once a day, and the same link works after it is resent', async () => {
  const { chat, ada, browser } = await startWithOwner()
  const key = await keyOfInvitation(chat, ada, 'new@x.com', { invite_expires_in_minutes: 1 })
  const { invites } = await ada.succeed('GET /invites')
  await chat.clock.advance(61)
  const ask = async () => {
    await browser.open(doConfirm(key))
    return browser.submit()
  }

  const first = await ask()
  const second = await ask()
  await chat.clock.advance(86_399)
  await ask()
  const once = await events(chat, ada)
  await chat.clock.advance(1)
  await ask()

  assert.equal(first.status, 200)
  assert.match(first.text, /Your request was sent/)
  assert.equal(second.body, first.body)
  assert.deepEqual(once, [
    'new@x.com would like to join, but your invitation has expired. Resend it to make its link work again.',
  ])
  assert.equal((await events(chat, ada)).length, 2)
  await ada.succeed(`POST /invites/${invites[0].id}/resend`)
  assert.equal(await accept(chat, key), 'in')
})

test('asking works for links, without revealing who asks', async () => {
  const { chat, ada, browser } = await startWithOwner()
  const key = await keyOfLink(ada, { invite_expires_in_minutes: 1 })
  await chat.clock.advance(61)
  await browser.open(joinBy(key))

  await browser.submit()

  assert.deepEqual(await events(chat, ada), [
    'Someone would like to join with one of your links, but it has expired. Extend it to make it work again.',
  ])
})

test('the response is the same for every key, and nothing happens unless the invitation has expired', async () => {
  const { chat, ada } = await startWithOwner()
  const keys = [await keyOfInvitation(chat, ada, 'new@x.com'), 'a'.repeat(32), '']
  const responses = []
  for (const key of keys) {
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const path = '/accounts/ask_for_invitation/'
    responses.push((await chat.request({ method: 'POST', path, headers, body: `key=${key}` })).body)
  }

  assert.equal(new Set(responses).size, 1)
  assert.deepEqual(await events(chat, ada), [])
})

test('asking is rate limited', async () => {
  const { chat } = await startWithOwner({ RATE_LIMITING: true })
  const statuses = []
  for (let attempt = 0; attempt < 21; attempt += 1) {
    const headers = { host: 'parley.test', 'content-type': 'application/x-www-form-urlencoded' }
    const path = '/accounts/ask_for_invitation/'
    statuses.push((await chat.request({ method: 'POST', path, headers, body: 'key=x' })).status)
  }

  assert.deepEqual(new Set(statuses.slice(0, 20)), new Set([200]))
  assert.equal(statuses[20], 429)
})
