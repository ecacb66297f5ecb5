import assert from 'node:assert/strict'
import { sendDirect } from '../messages.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { usePseudoLocale } from './pseudo-locale.ts'
import { resize } from './resize.ts'
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

test('from right to left, no page scrolls sideways, and the sidebar is on the right', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  await sendDirect(ben, [ada], 'a word')
  const page = await stage.openWindow()
  await usePseudoLocale(page)
  await stage.signIn(page, ada)

  for (const path of ['/inbox', '/channels/1?topic=icons', '/recent', '/settings/profile']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    for (const width of [1280, 800, 320]) {
      await resize(page, { width, height: 720 })
      const found = await page.evaluate(() => ({
        width: document.documentElement.scrollWidth,
        main: document.querySelector('main')!.scrollWidth - document.querySelector('main')!.clientWidth,
      }))
      assert.deepEqual(found, { width, main: 0 }, `${path} at ${width} px`)
    }
    await resize(page, { width: 1280, height: 720 })
    const sidebar = await page.locator('.chat-pane').boundingBox()
    assert.equal(Math.round((sidebar?.x ?? 0) + (sidebar?.width ?? 0)) >= 1278, true, path)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
