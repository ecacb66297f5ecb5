import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { untilFocusIn } from './by-keyboard.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const people = (page: Page) => page.getByRole('complementary', { name: 'People' })

test('the people pane shows participants first, and F6 moves through all panes', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await stage.chat.user('dan', { fullName: 'Dan Outside' })
  await ben.succeed('PATCH /settings', { web_channel_default_view: 2 })
  await sendToChannel(ada, { name: 'engines' }, 'here', 'numbers')
  const page = await stage.openAs(ben, '/channels/2?topic=numbers')
  const { keyboard } = page
  await page.getByRole('article').filter({ hasText: 'here' }).waitFor()

  await page.getByRole('button', { name: 'People', exact: true }).click()
  const here = people(page).getByRole('group', { name: /In this conversation/ })
  await here.getByRole('option', { name: 'Cleo Hopper' }).waitFor()
  await becomes(() => here.getByRole('option').count(), 3)
  await people(page)
    .getByRole('group', { name: /Others/ })
    .getByRole('option', { name: 'Dan Outside' })
    .waitFor()
  for (const part of ['.composer', '.people-side', '.chat-pane', '[data-message]', '.composer']) {
    await keyboard.press('F6')
    await untilFocusIn(page, part)
  }
  for (const part of ['[data-message]', '.chat-pane', '.people-side']) {
    await keyboard.press('Shift+F6')
    await untilFocusIn(page, part)
  }

  assert.equal(await people(page).getByRole('heading', { name: 'People', exact: true }).count(), 1)
  await page.getByRole('article').first().focus()
  await keyboard.press('w')
  await untilFocusIn(page, '.people-side search')
  await keyboard.type('dan')
  await people(page).getByRole('option', { name: 'Cleo Hopper' }).waitFor({ state: 'detached' })
  await keyboard.press('Escape')
  await people(page).getByRole('option', { name: 'Cleo Hopper' }).waitFor()
  await keyboard.press('Escape')
  await untilFocusIn(page, '[data-message]')
  await people(page).waitFor({ state: 'detached' })
  await keyboard.press('q')
  await untilFocusIn(page, '.chat-pane search')
  await keyboard.type('DES')
  await page.locator('.chat-pane').getByRole('link', { name: 'Inbox' }).waitFor({ state: 'detached' })
  await keyboard.press('Enter')

  await page.getByRole('heading', { level: 1, name: 'design' }).waitFor()
  await untilFocusIn(page, 'main')
  await page.locator('.chat-pane').getByRole('link', { name: 'Inbox' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('on narrow windows the people pane is a drawer, and closing it restores the focus', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, `/dm/${ada.id}`, { width: 1000 })
  const { keyboard } = page
  const button = page.getByRole('button', { name: 'People', exact: true })
  await button.waitFor()
  await becomes(() => people(page).count(), 0)

  await button.focus()
  await keyboard.press('Enter')
  await people(page)
    .getByRole('group', { name: /In this conversation/ })
    .getByRole('option', { name: 'Ada Lovelace' })
    .waitFor()
  await untilFocusIn(page, '[role="dialog"]')
  assert.deepEqual(await inspect(page, 'people-drawer'), [])
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await untilFocusIn(page, '[data-opens="people"] button')

  await keyboard.press('w')
  await untilFocusIn(page, '[role="dialog"] .people-pane search')
  await keyboard.type('cleo')
  await keyboard.press('Escape')
  await keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 800, height: 720 })
  await page.locator('.sidebar-column').waitFor({ state: 'detached' })
  await keyboard.press('q')
  await untilFocusIn(page, '[role="dialog"] .pane search')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
