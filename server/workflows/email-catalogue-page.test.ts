import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Role } from '#rules/role.ts'
import { signIn } from '../../test/browser.ts'
import { startChat } from '../../test/harness.ts'
import { invite } from '../../test/inviting.ts'

async function openOffice() {
  const chat = await startChat()
  const ada = await chat.user('ada', { role: Role.administrator })
  const ben = await chat.user('ben')
  await invite(ada, 'new@example.com', { invite_expires_in_minutes: 60 })
  await chat.app.jobs.mail.settled()
  const [mail] = (await ada.succeed('GET /mails', { recipient: 'new@example.com' })).mails
  return { chat, ada, ben, mail }
}

test('the frame of the outbox shows exactly the HTML that was sent, isolated from everything', async () => {
  const { chat, ada, mail } = await openOffice()
  const [arrived] = await chat.mail()
  const browser = await signIn(chat, ada)

  const shown = await browser.open(`/mails/${mail.id}/html`)

  assert.equal(shown.body, arrived?.html)
  const policy = String(shown.headers['content-security-policy'])
  assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline'; /)
  assert.match(policy, /; frame-ancestors 'self'; sandbox$/)
})

test('only administrators can see emails', async () => {
  const { chat, ada, ben, mail } = await openOffice()
  const [bens, adas] = [await signIn(chat, ben), await signIn(chat, ada)]

  assert.notEqual((await bens.open(`/mails/${mail.id}/html`)).status, 200)
  for (const id of [mail.id + 100, 'x', '99999999999999999999'])
    assert.notEqual((await adas.open(`/mails/${id}/html`)).status, 200)
})

test('the preview of an invitation shows the content of the email with an inactive link', async () => {
  const { chat, ada } = await openOffice()
  const browser = await signIn(chat, ada)

  const { subject, text } = await ada.succeed('GET /invites/preview', {
    invite_as: 600,
    invite_expires_in_minutes: null,
  })
  const { body } = await browser.open('/invites/preview/html?invite_as=600')

  assert.equal(subject, 'Ada has invited you to join Example')
  for (const words of ['You will join as a guest. The invitation does not expire.', '/accounts/do_confirm/preview']) {
    assert.ok(text.includes(words), words)
    assert.ok(body.includes(words), words)
  }
  assert.equal((await ada.call('GET /invites/preview', { invite_expires_in_minutes: 0 })).status, 400)
})

test('guests cannot preview invitations', async () => {
  const { chat } = await openOffice()
  const gus = await chat.user('gus', { role: Role.guest })
  const browser = await signIn(chat, gus)

  const page = await browser.open('/invites/preview/html')

  assert.deepEqual([page.status, (await gus.call('GET /invites/preview')).status], [400, 400])
  assert.match(page.text, /Not allowed for guest users/)
})
