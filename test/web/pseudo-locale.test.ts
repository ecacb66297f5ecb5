import assert from 'node:assert/strict'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { usePseudoLocale } from './pseudo-locale.ts'
import { openStage } from './stage.ts'

test('a translation replaces the interface texts of a page', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openWindow()
  await usePseudoLocale(page)
  await stage.signIn(page, ada)

  await page.goto('/settings/notifications')
  await page.getByRole('heading', { level: 2 }).first().waitFor()

  const texts = await page.locator('main :is(h1, h2, label, .button)').allInnerTexts()
  assert.deepEqual(
    texts.filter((text) => /[a-z]{3}/i.test(text)),
    [],
  )
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).direction), 'rtl')
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
