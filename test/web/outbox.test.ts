import assert from 'node:assert/strict'
import { type MailTransport, storeOnlyTransport } from '#mail/delivery.ts'
import { invite } from '../inviting.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** Returns a relay that refuses emails to these recipients. */
const refusing = (recipients: readonly string[]): MailTransport => ({
  send: async ({ to }) =>
    recipients.includes(to)
      ? { outcome: 'refused', reply: '550 No such user here' }
      : { outcome: 'sent', reply: '250 OK' },
  close: () => {},
})

test('the outbox shows mails that could not be delivered first, however old, and each mail once', async () => {
  const stage = await openStage({ transport: refusing(['old@example.com', 'new@example.com']) })
  const { ada } = await fillExample(stage.chat)
  const send = async (emails: string) => {
    await invite(ada, emails, { invite_expires_in_minutes: 60 })
    await stage.chat.app.jobs.mail.settled()
  }
  await send('old@example.com')
  const others = Array.from({ length: 60 }, (_, at) => `person${at}@example.com`)
  await send(others.join())
  await send('new@example.com')
  const page = await stage.openAs(ada, '/outbox')
  const recipients = page.getByRole('list', { name: 'Emails' }).locator('b')

  const first = ['new@example.com', 'old@example.com', ...others.toReversed().slice(0, 2)]
  await becomes(async () => (await recipients.allTextContents()).slice(0, 4), first)
  await page.getByRole('button', { name: 'Show older emails' }).click()
  const all = ['new@example.com', 'old@example.com', ...others.toReversed()]
  await becomes(() => recipients.allTextContents(), all)

  await page.getByRole('button', { name: /Status/ }).click()
  await page.getByRole('option', { name: 'Email failed' }).click()
  await becomes(() => recipients.allTextContents(), ['new@example.com', 'old@example.com'])
  await page.getByRole('button', { name: /^new@example\.com/ }).click()
  await page.getByRole('button', { name: 'Retry now' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('an invitation appears in the open outbox at once, and its reminder among the scheduled emails', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/outbox')
  await page.getByRole('heading', { name: 'No emails yet' }).waitFor()

  await invite(ada, 'dan@example.com')

  const rowsOf = (name: string) => page.getByRole('list', { name }).getByRole('button').allTextContents()
  await becomes(async () => (await rowsOf('Emails')).length, 1)
  await becomes(async () => (await rowsOf('Scheduled')).every((row) => row.includes('reminder')), true)
  await page.getByRole('heading', { name: 'Scheduled' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('without a relay, an email that stays in the outbox has no button to retry it', async () => {
  const stage = await openStage({ transport: storeOnlyTransport })
  const { ada } = await fillExample(stage.chat)
  await invite(ada, 'dan@example.com', { invite_expires_in_minutes: 60 })
  await stage.chat.app.jobs.mail.settled()
  const page = await stage.openAs(ada, '/outbox')

  await page.getByRole('button', { name: /^dan@example\.com/ }).click()
  await page.getByText('Not sent: no relay').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Retry now' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
