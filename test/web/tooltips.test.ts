import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** Marks the visible buttons and links whose content has no letters or digits, and returns their accessible names. */
const findIconButtons = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a')]
      .filter((element) => element.checkVisibility() && !element.closest('[aria-hidden="true"], [inert]'))
      .filter((element) => !/[\p{Letter}\p{Number}]/u.test(element.textContent) && !element.closest('.message-content'))
      .map((element, index) => {
        element.dataset['icon'] = String(index)
        return element.ariaLabel ?? ''
      }),
  )

/** Returns the tooltips of the marked elements, as the keyboard reaches them. */
async function tooltipsOf(page: Page, names: readonly string[]): Promise<string[]> {
  const shown: string[] = []
  await page.keyboard.press('Shift')
  for (const [index, name] of names.entries()) {
    await page.locator(`[data-icon="${index}"]`).focus()
    const tooltip = page.locator('.tooltip').filter({ hasText: name })
    await tooltip.waitFor().catch(() => assert.fail(`“${name}” (${index}) has no tooltip`))
    shown.push((await tooltip.textContent()) ?? '')
  }
  return shown
}

test('all buttons without text have a name and show it as a tooltip, with their shortcut', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  await page.getByLabel(/^Message/).click()
  await page.getByLabel(/^Message/).fill('A text to preview')
  await page.getByRole('button', { name: 'Bold', exact: true }).waitFor()

  const names = await findIconButtons(page)
  assert.ok(names.length >= 20, `${names.length} buttons`)
  assert.deepEqual(
    names.filter((name) => name === ''),
    [],
  )
  const shown = await tooltipsOf(page, names)
  for (const one of [
    'New message (X)',
    'Filter channels (Q)',
    'Unfollow topic (Shift+F)',
    'Bold (Ctrl+B)',
    'Preview (Alt+P)',
  ])
    assert.ok(shown.includes(one), `${one} is not among ${shown.join(', ')}`)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a tooltip appears under the pointer, and disappears when the pointer leaves or a key is pressed', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/channels/1?topic=icons')
  const row = page.locator('[data-message]', { hasText: 'Round, please' })
  await row.hover()
  const tooltip = page.locator('.tooltip')

  await row.getByRole('button', { name: 'Star', exact: true }).hover()
  await tooltip.filter({ hasText: 'Star (Ctrl+S)' }).waitFor()
  await row.getByRole('button', { name: 'Reply' }).hover()
  await tooltip.filter({ hasText: 'Reply (R)' }).waitFor()
  await becomes(() => tooltip.count(), 1)
  await page.keyboard.press('Shift')
  await tooltip.waitFor({ state: 'detached' })
  await row.getByRole('button', { name: 'Star', exact: true }).hover()
  await tooltip.waitFor()
  await page.getByLabel(/^Message/).hover()
  await tooltip.waitFor({ state: 'detached' })
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('no tooltip is left after a menu has led to another page', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/inbox')

  await page.getByRole('button', { name: 'Add channels' }).click()
  await page.getByRole('menuitem', { name: 'Create channel' }).click()
  await page.getByRole('heading', { level: 1, name: 'Create channel' }).waitFor()
  await page.waitForTimeout(500)

  assert.equal(await page.locator('.tooltip').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
