import assert from 'node:assert/strict'
import { prepareNotice } from '#messages/prepare-message.ts'
import { sendMessages } from '#messages/send-message.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

test("a direct message of one of the server's bots has its name, opens, and is read", async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  await stage.chat.app.services.transaction(async (tx) => {
    const notice = { recipientIds: [ben.id], content: 'Welcome to Parley', bot: 'welcome-bot' } as const
    await sendMessages(tx, [await prepareNotice(tx.db, notice)])
  })
  const page = await stage.openAs(ben, '/inbox')
  const unread = page.getByRole('link', { name: /^Welcome Bot.*1/ })

  await unread.first().click()

  await page.getByRole('heading', { level: 1, name: 'Welcome Bot' }).waitFor()
  await page.locator('.message-content', { hasText: 'Welcome to Parley' }).waitFor()
  await becomes(() => unread.count(), 0)
  await page.getByLabel('Message Welcome Bot').fill('Thank you')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.locator('.message-content', { hasText: 'Thank you' }).waitFor()
  await becomes(() => page.getByText('Unknown user').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
