import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { START } from '../harness.ts'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()

test('recent conversations are sorted by latest message, with participants and unread counts', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ben], 'just you')
  const page = await stage.openAs(ben, '/inbox')
  await title(page, 'Inbox')

  await page.keyboard.press('t')
  await title(page, 'Recent')
  const rows = page.locator('.conversation-item')
  await rows
    .first()
    .filter({ hasText: /Cleo Hopper.*just you.*1 unread/ })
    .waitFor()
  await rows
    .last()
    .filter({ hasText: /design › icons.*Cleo: Round, please.*2 unread/ })
    .waitFor()
  await sendToChannel(ada, { name: 'design' }, 'once more', 'icons')

  await rows.first().filter({ hasText: 'Ada: once more' }).filter({ hasText: '3 unread' }).waitFor()
  assert.deepEqual(await inspect(page, 'recent'), [])
  await rows.first().getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await title(page, 'Cleo Hopper')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('drafts are listed, continued, deleted and restored', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, `/dm/${ada.id}`)
  await page.getByLabel('Message Ada Lovelace').fill('half a thought')
  await page.goto('/channels/2?topic=slow%20start')
  await page.getByLabel('Message engines').fill('another half')
  await page.getByRole('article').first().focus()

  await page.keyboard.press('d')
  await title(page, 'Drafts')
  const drafts = page.locator('.unsent-row')
  await page.getByRole('link', { name: 'Drafts and scheduled 2' }).waitFor()
  assert.deepEqual(await inspect(page, 'drafts'), [])
  await page.getByRole('button', { name: 'Delete draft: Ada Lovelace' }).click()
  await page.getByRole('link', { name: 'Drafts and scheduled 1' }).waitFor()
  await becomes(() => drafts.count(), 1)
  // The notification stays while the pointer is on it.
  await page.getByRole('button', { name: 'Undo' }).hover()
  await page.getByRole('link', { name: 'engines › slow start another half' }).press('Enter')
  await title(page, 'slow start')
  await becomes(() => page.getByLabel('Message engines').inputValue(), 'another half')
  await page.getByRole('button', { name: 'Undo' }).click()
  await title(page, 'Drafts')
  await page.getByRole('link', { name: 'Ada Lovelace half a thought' }).click()

  await title(page, 'Ada Lovelace')
  await becomes(() => page.getByLabel('Message Ada Lovelace').inputValue(), 'half a thought')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('scheduled messages are listed, edited, deleted, restored, and sent when due', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, `/dm/${ada.id}`)
  const box = page.getByLabel('Message Ada Lovelace')
  await box.fill('good morning')
  await page.getByRole('button', { name: 'Send later' }).click()
  assert.deepEqual(await inspect(page, 'send-later'), [])
  await page.getByRole('menuitem', { name: 'Tomorrow morning' }).click()
  await page.getByText('Scheduled for').waitFor()
  await page.waitForFunction(() => document.querySelector('textarea')?.value === '')
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await becomes(() => box.inputValue(), 'good morning')
  await page.getByRole('button', { name: 'Send later' }).click()
  await page.getByRole('menuitem', { name: 'Tomorrow morning' }).click()
  await becomes(() => box.inputValue(), '')
  await box.fill('see you in a moment')
  await page.getByRole('button', { name: 'Send later' }).click()
  await page.getByRole('menuitem', { name: 'Custom' }).click()
  await page.getByLabel('When').fill('2001-01-01T09:00')
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByText('Choose a time in the future').first().waitFor()
  const soon = new Date((START + 600) * 1000).toISOString().slice(0, 16)
  await page.getByLabel('When').fill(soon)
  await page.getByRole('button', { name: 'Schedule' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('link', { name: 'View' }).last().click()
  await title(page, 'Scheduled')
  await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.getByRole('link', { name: 'Drafts and scheduled 2' }).click()
  await title(page, 'Scheduled')
  const rows = page.locator('.unsent-row')
  assert.deepEqual(await inspect(page, 'scheduled'), [])
  await rows.last().getByRole('button', { name: 'Delete scheduled message: Ada Lovelace' }).click()
  await page.getByRole('link', { name: 'Scheduled 1', exact: true }).waitFor()
  await page.locator('.toast', { hasText: 'deleted' }).getByRole('button', { name: 'Undo' }).click()
  await rows.last().filter({ hasText: 'good morning' }).waitFor()
  await rows.first().getByRole('button', { name: 'Edit scheduled message: Ada Lovelace' }).click()
  await page.getByRole('dialog').getByLabel('Message').fill('see you')
  await page.getByRole('button', { name: 'Save' }).click()
  await rows
    .first()
    .filter({ hasText: /see you$/ })
    .waitFor()
  await rows.last().getByRole('button', { name: 'Send scheduled message now: Ada Lovelace' }).click()
  await page.getByText('Sending the message now').waitFor()
  await stage.chat.clock.advance(5)
  await page.getByRole('link', { name: 'Scheduled 1', exact: true }).waitFor()
  await rows.filter({ hasText: /see you$/ }).waitFor()
  await stage.chat.clock.advance(600)
  await page.getByText('No scheduled messages').waitFor()

  await page.goto(`/dm/${ada.id}`)
  await page.locator('.message-content', { hasText: /^good morning$/ }).waitFor()
  await page.locator('.message-content', { hasText: /^see you$/ }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
