import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { waitForCachedView } from './cached-view.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const TOPIC = '/channels/1?topic=colours'

/** Opens a topic, and waits until the browser has cached it and the client. */
async function openCached() {
  const stage = await openStage()
  const cast = await fillExample(stage.chat)
  const page = await stage.openAs(cast.ben, TOPIC, { hasWorker: true })
  await page.getByText('warmer grey').waitFor()
  await becomes(() => isPageCached(page), true)
  await waitForCachedView(page, cast.ben)
  return { stage, page, ...cast }
}

/** Returns true once the service worker has cached the page, which it does after its files. */
const isPageCached = (page: Page) =>
  page.evaluate(async () => (await (await caches.open('parley-page')).match('/')) !== undefined)

test('a reload without a connection shows the messages and their age, and sends what is written once it is back', async () => {
  const { stage, page, ada } = await openCached()

  await page.context().setOffline(true)
  await page.reload()
  await page.getByText('warmer grey').waitFor()
  await page.getByText('Showing messages as of').waitFor()
  await page.getByLabel(/^Message/).fill('written on the train')
  await page.getByLabel(/^Message/).press('Control+Enter')
  await becomes(() => page.locator('.outgoing-text').allTextContents(), ['written on the train'])
  await page
    .getByRole('link', { name: /^Inbox/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor()
  await page.goBack()
  await sendToChannel(ada, { name: 'design' }, 'meanwhile', 'colours')
  await page.context().setOffline(false)

  for (const text of ['written on the train', 'meanwhile'])
    await page.locator('.message-content', { hasText: text }).waitFor()
  await becomes(() => page.locator('.outgoing').count(), 0)
  await becomes(() => page.getByText('Showing messages as of').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('Recent shows what is at hand without a connection', async () => {
  const { stage, page } = await openCached()

  await page.context().setOffline(true)
  await page
    .getByRole('link', { name: /^Recent/ })
    .first()
    .click()
  await page.locator('.conversation-item', { hasText: 'colours' }).getByText('warmer grey').waitFor()

  assert.equal(await page.getByRole('alert').count(), 0)
  await page.context().setOffline(false)
  await page.locator('.conversation-item', { hasText: 'icons' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('with a connection, the page comes from the server', async () => {
  const { stage, page, ben } = await openCached()
  const theme = () => page.evaluate(() => fetch('/').then((response) => response.text()))
  assert.doesNotMatch(await theme(), /data-theme/)

  await ben.succeed('PATCH /settings', { color_scheme: 2 })
  const [response] = await Promise.all([page.waitForResponse((one) => one.url().endsWith(TOPIC)), page.reload()])

  assert.match(await response.text(), /<html data-theme="dark"/)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('after a logout, nothing opens without a connection', async () => {
  const { stage, page } = await openCached()

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.waitForURL(/\/login\//)
  await becomes(() => isPageCached(page), false)
  await page.context().setOffline(true)

  await assert.rejects(page.goto(TOPIC), /ERR_INTERNET_DISCONNECTED|ERR_FAILED/)
  await page.context().setOffline(false)
  await stage.close()
})

test('a page whose session has ended is not opened without a connection', async () => {
  const { stage, page } = await openCached()

  await stage.endSession(page)
  await page.goto(TOPIC)
  await page.waitForURL(/\/login\//)
  await becomes(() => isPageCached(page), false)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
