import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { type Chat, startChat } from '../../test/harness.ts'
import { invite, recipients } from '../../test/inviting.ts'

const open = (chat: Chat, path: string, method: string, host = 'parley.test') =>
  chat.request({
    method,
    path,
    headers: { host, 'content-type': 'application/x-www-form-urlencoded' },
    ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
  })

/** Starts a chat in which an administrator has invited `email`; `path` is the link to unsubscribe. */
async function invited(email: string) {
  const chat = await startChat({ settings: { LOG_LEVEL: 'silent' } })
  const ada = await chat.user('ada', { role: Role.administrator })
  await invite(ada, email)
  const [mail] = await chat.mail()
  const path = /^<http:\/\/parley\.test(\/accounts\/unsubscribe\/[\w.-]+)>$/.exec(
    mail?.headers['List-Unsubscribe'] ?? '',
  )
  assert.equal(mail?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click')
  return { chat, ada, path: path?.[1] ?? '' }
}

test('an address that unsubscribed gets no invitations or reminders, and the inviter sees why', async () => {
  const { chat, ada, path } = await invited('New@example.com')

  const answer = await open(chat, path, 'POST')
  await chat.clock.advance(9 * 86_400)
  await invite(ada, 'new@EXAMPLE.com, other@example.com', { invite_expires_in_minutes: 60 })
  const eve = await chat.user('eve', { realm: await chat.organization('other') })
  await invite(eve, 'new@example.com', { invite_expires_in_minutes: 60 })

  assert.equal(answer.status, 200)
  assert.deepEqual(await recipients(chat), ['New@example.com', 'new@example.com', 'other@example.com'])
  const { mails } = await ada.succeed('GET /mails', { recipient: 'new@example.com', state: 'failed' })
  assert.deepEqual(
    mails.map(({ letter, reply }: Record<string, string>) => [letter, reply]),
    [
      ['invitation', 'The recipient has unsubscribed'],
      ['invitation-reminder', 'The recipient has unsubscribed'],
    ],
  )
})

test('opening the link only shows a button that unsubscribes', async () => {
  const { chat, ada, path } = await invited('new@example.com')

  const { status, body } = await open(chat, path, 'GET')
  await invite(ada, 'new@example.com')

  assert.equal(status, 200)
  assert.match(body, /<b>new@example\.com<\/b>.*<form method="post"><button>/s)
  assert.equal((await chat.mail()).length, 2)
})

test('a link is valid only for its address and organization, and may be used twice', async () => {
  const { chat, path } = await invited('new@example.com')
  await chat.organization('other')
  const [, seal] = path.split('.')
  const forged = `/accounts/unsubscribe/${Buffer.from('other@example.com').toString('base64url')}.${seal}`

  for (const method of ['GET', 'POST']) {
    assert.equal((await open(chat, forged, method)).status, 404)
    assert.equal((await open(chat, '/accounts/unsubscribe/x', method)).status, 404)
    assert.equal((await open(chat, path, method, 'other.parley.test')).status, 404)
    assert.equal((await open(chat, path, method)).status, 200)
    assert.equal((await open(chat, path, method)).status, 200)
  }
})
