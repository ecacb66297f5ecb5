import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes, settles } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** Pages outside of the conversations, beside one with messages. */
const PAGES = [
  ...['/channels/1', '/inbox', '/channels', '/channels/new', '/channels/1/settings/general', '/people', '/people/2'],
  ...['/settings/preferences', '/organization/people', '/invitations', '/outbox', '/add-integration'],
  ...['/help', '/help/search', '/nowhere'],
]

const headerOf = (page: Page) =>
  page.locator('.chat-header').evaluate((header) => {
    const { top, height } = header.getBoundingClientRect()
    const title = header.querySelector('.chat-header-title')?.getBoundingClientRect()
    return { top, height, start: title?.left ?? null }
  })

test('all pages have the same header, and their titles begin at the same place', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/inbox')
  for (const width of [1280, 820, 390]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto('/inbox')
    await page.locator('main h1').first().waitFor()
    const { height, start } = await settles(() => headerOf(page))
    for (const path of PAGES) {
      await page.goto(path)
      await page.locator('main h1').first().waitFor()
      await becomes(
        async () => {
          const header = await headerOf(page)
          // On phones, only pages below another one have a button that leads back.
          const isSame = width <= 700 || header.start === null || header.start === start
          return { path, width, top: header.top, height: header.height, isSame }
        },
        { path, width, top: 0, height, isSame: true },
      )
    }
    assert.equal(width > 700 ? height : height >= 48, width > 700 ? 48 : true)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('settings lead to those of the organization, and the menu of the organization has only its pages', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/settings/preferences')
  await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Permissions' }).click()
  await page.getByRole('heading', { level: 1, name: 'Permissions' }).waitFor()
  await page.getByRole('button', { name: /organization menu$/ }).click()
  await page.getByRole('menuitem', { name: 'Organization', exact: true }).waitFor()
  for (const name of ['Settings', 'Log out', 'Dark'])
    assert.equal(await page.getByRole('menuitem', { name, exact: true }).count(), 0, name)

  const bens = await stage.openAs(ben, '/settings/preferences')
  await bens.getByRole('heading', { level: 1, name: 'Preferences' }).waitFor()
  const links = bens.getByRole('navigation', { name: 'Organization' }).getByRole('link')
  await becomes(() => links.allTextContents(), ['Groups', 'Custom emoji'])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
