import assert from 'node:assert/strict'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { chooseInOrganizationMenu } from './organization-menu.ts'
import { openStage } from './stage.ts'

test('the page shows something before the first script has loaded', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/', { isCold: true })
  await page.route('**/assets/*.js', () => {})

  await page.goto('/', { waitUntil: 'commit' })

  await page.locator('.loading-bar').first().waitFor()
  await stage.close()
})

test('pages open offline that were never opened before, and say what is missing', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/login/', { isCold: true })
  // When the client has loaded all pages, it registers its service worker, which Playwright blocks.
  const loaded = page.waitForEvent('console', (message) => /Service Worker registration blocked/.test(message.text()))
  await page.goto('/')
  await loaded

  await page.route('**/*', (route) => route.abort())
  await chooseInOrganizationMenu(page, 'Outbox')

  await page.getByRole('heading', { name: 'Outbox' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await stage.close()
})

test('a page that fails to load leaves the others usable, and loads on retry', async () => {
  const stage = await openStage()
  const { ada } = await fillExample(stage.chat)
  const page = await stage.openAs(ada, '/login/', { isCold: true })
  await page.route('**/assets/{outbox,invite-dialog}-*', (route) => route.abort())
  await page.goto('/')

  await chooseInOrganizationMenu(page, 'Outbox')
  await page.getByText('Couldn’t show this page').waitFor()
  await page.getByRole('link', { name: /^Inbox/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await chooseInOrganizationMenu(page, 'Invite people')
  await page.getByText('The server didn’t respond').waitFor()
  await page.unroute('**/assets/{outbox,invite-dialog}-*')
  await chooseInOrganizationMenu(page, 'Outbox')

  await page.getByRole('heading', { name: 'Outbox' }).waitFor()
  await chooseInOrganizationMenu(page, 'Invite people')
  await page.getByRole('dialog').waitFor()
  assert.equal(new URL(page.url()).pathname, '/outbox')
  await stage.close()
})
