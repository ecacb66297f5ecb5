import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { leaveChannel, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const names = (page: Page) => () => page.locator('.browser-name a').allTextContents()

test('channels are compared by their people, previewed, and opened before they are joined', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendToChannel(cleo, { name: 'engines' }, 'Faster now', 'slow start')
  for (const person of [ben, cleo]) await leaveChannel(person, { name: 'engines' })
  await stage.chat.channel('attic', [])
  const page = await stage.openAs(ben, '/channels')
  await page.getByText('3 people').waitFor()

  await page.getByRole('button', { name: /Sort by/ }).click()
  await page.getByRole('option', { name: 'People' }).click()
  await becomes(names(page), ['design', 'engines', 'attic'])
  await page.getByRole('button', { name: /Sort by/ }).click()
  await page.getByRole('option', { name: 'Newest' }).click()
  await page.waitForURL('**/channels?sort=newest')
  await page.getByRole('button', { name: 'Preview attic' }).click()
  await page.getByRole('dialog').getByText('No messages yet').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Preview engines' }).click()
  const preview = page.getByRole('dialog', { name: '#engines' })
  await preview.getByRole('link', { name: /slow start Cleo: Faster now/ }).waitFor()
  assert.deepEqual(await inspect(page, 'channel-preview'), [])
  await preview.getByRole('button', { name: 'Join engines' }).click()
  await page.getByText('You joined #engines').waitFor()
  await leaveChannel(ben, { name: 'engines' })

  await preview.getByRole('link', { name: 'Open channel' }).click()
  await page.getByText('You’re not subscribed to #engines.').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('Faster now').waitFor()
  await ada.succeed('DELETE /streams/2')
  await page.getByText('#engines is archived.').waitFor()
  await becomes(() => page.getByRole('button', { name: 'Join engines' }).count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
