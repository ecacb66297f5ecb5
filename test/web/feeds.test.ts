import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

/** Returns true if nothing covers the upper edge of the shown toolbar. */
const areToolsUncovered = (page: Page) =>
  page.locator('.message-tools[data-shown]').evaluate((tools) => {
    const { x, y, width } = tools.getBoundingClientRect()
    return tools.contains(document.elementFromPoint(x + width / 2, y + 1))
  })

test('all direct messages are one feed, which new ones join', async () => {
  const stage = await openStage()
  const { ada, ben, cleo } = await fillExample(stage.chat)
  await sendDirect(cleo, [ben], 'from Cleo')
  await sendDirect(ada, [ben, cleo], 'to both')
  const page = await stage.openAs(ben, '/inbox')
  await page.getByRole('link', { name: 'Direct message feed' }).click()

  await page.getByRole('heading', { level: 1, name: 'Direct message feed' }).waitFor()
  await becomes(() => page.locator('.message-content').allTextContents(), ['from Cleo', 'to both'])
  await page.getByRole('link', { name: 'Direct messages with Ada Lovelace, Cleo Hopper' }).waitFor()
  await page.locator('.message', { hasText: 'to both' }).hover()
  await becomes(() => areToolsUncovered(page), true)
  assert.deepEqual(await inspect(page, 'direct-feed'), [])
  await sendToChannel(ada, { name: 'design' }, 'elsewhere', 'icons')
  await sendDirect(ada, [ben], 'and now')
  await becomes(() => page.locator('.message-content').allTextContents(), ['from Cleo', 'to both', 'and now'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the bar at the top of a feed does not cover the toolbar of the message that keys lead to', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  for (let at = 1; at <= 20; at++) await sendDirect(ada, [ben], `${at}\n\nand more\n\nand more`)
  const page = await stage.openAs(ben, '/direct-messages')
  const isFocused = (text: string) =>
    page.evaluate((text) => document.activeElement?.textContent?.includes(text) ?? false, text)
  await page.locator('.message', { hasText: '20' }).waitFor()

  await page.locator('.message').last().focus()
  for (let at = 19; at >= 8; at--) {
    await page.keyboard.press('k')
    await becomes(() => isFocused(`${at}`), true)
  }

  await becomes(() => areToolsUncovered(page), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('the user’s messages with reactions are a feed, which follows the reactions', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const first = await sendToChannel(ben, { name: 'design' }, 'one idea', 'ideas')
  const second = await sendToChannel(ben, { name: 'design' }, 'another idea', 'ideas')
  const others = await sendToChannel(ada, { name: 'design' }, 'not Ben’s', 'ideas')
  const react = (id: number) => ada.succeed(`POST /messages/${id}/reactions`, { emoji_name: 'tada' })
  const page = await stage.openAs(ben, '/inbox')
  await page.getByRole('link', { name: 'Reactions' }).click()
  await page.getByRole('heading', { name: 'No reactions yet' }).waitFor()

  await react(first)
  await becomes(() => page.locator('.message-content').allTextContents(), ['one idea'])
  await react(others)
  await react(second)
  await becomes(() => page.locator('.message-content').allTextContents(), ['one idea', 'another idea'])
  assert.deepEqual(await inspect(page, 'reactions-feed'), [])
  await ada.succeed(`DELETE /messages/${first}/reactions`, { emoji_name: 'tada' })
  await becomes(() => page.locator('.message-content').allTextContents(), ['another idea'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
