import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendDirect, sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('addresses of other Zulip clients open their pages, from the address bar and from messages', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendToChannel(ada, { name: 'design' }, `[your settings](${stage.url}/#settings/preferences)`, 'links')
  const page = await stage.openAs(ben, '/#recent')
  await title(page, 'Recent')

  for (const [hash, name] of [
    ['feed', 'Combined feed'],
    ['settings/notifications', 'Notifications'],
    ['channels/1/design', 'General'],
    ['topics/channel/1-design', 'Topics'],
  ] as const) {
    await page.evaluate((hash) => location.assign(`#${hash}`), hash)
    await title(page, name)
    await becomes(() => page.evaluate(() => location.hash), '')
  }
  await page.evaluate(() => location.assign('#keyboard-shortcuts'))
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await untilFocusIn(page, '[role="dialog"]')
  await page.keyboard.press('Escape')
  await page.evaluate(() => location.assign('#narrow/channel/1-design/-topic/icons/has/reaction'))
  await page.getByRole('heading', { name: 'No messages found' }).waitFor()
  await page.goto('/#narrow/stream/design/sender/me')
  await page.locator('.message-content', { hasText: 'warmer grey' }).waitFor()
  await page.evaluate(() => location.assign('#narrow/nothing/known'))
  await page.getByText('This link doesn’t lead to a page.').waitFor()
  await page.locator('.message-content', { hasText: 'warmer grey' }).waitFor()
  await becomes(() => page.evaluate(() => location.hash), '')

  await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
  await page.goto('/channels/1?topic=links')
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
  await page.getByRole('link', { name: 'your settings' }).click()
  await title(page, 'Preferences')
  assert.equal(await page.evaluate(() => 'isSame' in globalThis), true)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('links to a topic and to a message survive renaming and moving', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ada, [ben], 'a word')
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  await page.getByRole('button', { name: 'Actions for topic icons' }).click()
  await page.getByRole('menuitem', { name: 'Copy link' }).click()
  await page.getByText('Link copied').waitFor()
  const link = await copied(page)
  assert.match(link, /#narrow\/channel\/1-design\/topic\/icons\/with\/2$/)

  await ada.succeed('PATCH /messages/1', { topic: 'signs', propagate_mode: 'change_all' })
  await ada.succeed('PATCH /messages/2', { stream_id: 2, propagate_mode: 'change_all' })
  await page.waitForURL('**/channels/2?topic=signs')
  await page.goto('/inbox')
  await page.goto(link)
  await title(page, 'signs')
  await page.waitForURL('**/channels/2?topic=signs')
  await page.getByText('Round, please').waitFor()
  assert.equal(await page.locator('.message[data-near]').count(), 0)

  await page.goto('/#narrow/channel/1-design/topic/icons/near/1')
  await page.locator('.message[data-near]', { hasText: 'The new icons' }).waitFor()
  await page.waitForURL('**/channels/2?topic=signs&near=1')
  await page.locator('.pane-person').first().click()
  await title(page, 'Ada Lovelace')
  await page.goBack()
  await title(page, 'signs')
  await page.goto('/#narrow/channel/1-design/topic/colours/with/4711')
  await title(page, 'colours')
  await page.waitForURL('**/channels/1?topic=colours')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
