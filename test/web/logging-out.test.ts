import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const box = (page: Page) => page.getByLabel(/^Message/)

/** Returns everything that scripts of the origin can read in this tab. */
const stored = (page: Page) => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))

const storesSecret = async (page: Page) => (await stored(page)).includes('secret')

async function writeDraft(page: Page, text: string): Promise<void> {
  await box(page).fill(text)
  await becomes(async () => (await stored(page)).includes(text), true)
}

test('logging out removes drafts and half-filled forms from the browser, and ends the other tabs', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.context().route('**/json/drafts', (route) => route.abort())
  await writeDraft(page, 'secret plan')
  const other = await page.context().newPage()
  await other.goto('/channels/new')
  await other.getByLabel('Name').fill('secret channel')
  await becomes(() => storesSecret(other), true)

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('alertdialog').getByText('Logging out deletes it').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()

  for (const tab of [page, other]) {
    await tab.waitForURL(/\/login\//)
    await becomes(() => storesSecret(tab), false)
  }
  await page.goBack()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  assert.equal(await page.getByText('warmer grey').count(), 0)
  await page.context().unroute('**/json/drafts')
  await stage.close()
})

test('a session that ends while a message is sent leads to a login page that says so, and the message is sent then', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  await page.getByText('Round, please').waitFor()
  // No other request notices the end of the session first.
  const isOther = (url: URL) => url.pathname.startsWith('/json/') && url.pathname !== '/json/messages'
  await page.route(isOther, () => {})

  await box(page).fill('still here')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('You were signed out. Your message is kept.', { exact: true }).waitFor()
  await page.unroute(isOther)
  await stage.signIn(page, ben)
  await page.goto('/channels/1?topic=icons')
  await page.locator('.message-content', { hasText: 'still here' }).waitFor()

  await becomes(async () => {
    const { messages } = await ada.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
    return messages[0].content
  }, '<p>still here</p>')
  await stage.endSession(page)
  await stage.close()
})

test('drafts survive an expired session, and are removed when another user logs in', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1')
  await page.getByText('warmer grey').waitFor()
  await writeDraft(page, 'secret plan')

  await stage.endSession(page)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await stage.signIn(page, ben)
  await page.goto('/channels/1')
  await becomes(() => box(page).inputValue(), 'secret plan')

  await stage.signIn(page, ada)
  const other = await page.context().newPage()
  await other.goto('/')
  await other.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  for (const tab of [page, other]) await becomes(() => storesSecret(tab), false)
  await stage.close()
})
