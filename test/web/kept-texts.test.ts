import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const TOPIC = '/channels/1?topic=icons'

const box = (page: Page) => page.getByLabel(/^Message/)
const outgoing = (page: Page) => page.locator('.outgoing')

test('a text is still there after the page has crashed, without the help of the server', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  const context = page.context()
  await page.route('**/json/drafts', (route) => route.abort())
  await box(page).fill('half a thought')
  await page.waitForFunction(() => JSON.stringify(localStorage).includes('half a thought'))

  const crashed = page.waitForEvent('crash')
  const devTools = await context.newCDPSession(page)
  void devTools.send('Page.crash').catch(() => {})
  await crashed

  const next = await context.newPage()
  await next.route('**/json/drafts', (route) => route.abort())
  await next.goto(TOPIC)
  await becomes(() => box(next).inputValue(), 'half a thought')
  await page.close()
  await stage.close()
})

test('a text stays when its channel is archived meanwhile, and can go elsewhere', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await page.getByText('Round, please').waitFor()
  await box(page).fill('half a thought')

  await ada.succeed('DELETE /streams/1')
  await page.getByText('This channel is archived').first().waitFor()
  await box(page).press('Control+Enter')
  await becomes(() => box(page).inputValue(), 'half a thought')
  await page.goto('/drafts')
  const draft = page.getByRole('listitem').filter({ hasText: 'half a thought' })
  await draft.waitFor()
  await draft.getByRole('link').first().click()
  await becomes(() => box(page).inputValue(), 'half a thought')

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a message that waits while its channel is archived stays with the reason', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await page.getByText('Round, please').waitFor()
  await page.route('**/json/messages', (route) => route.abort())
  await box(page).fill('a whole thought')
  await box(page).press('Control+Enter')
  await page.getByText('waiting for the connection').first().waitFor()

  await ada.succeed('DELETE /streams/1')
  await page.unroute('**/json/messages')
  await page.reload()

  const row = outgoing(page).filter({ hasText: 'a whole thought' })
  await row.getByRole('alert').filter({ hasText: 'Couldn’t send the message' }).waitFor()
  await row.getByRole('button', { name: 'Edit' }).waitFor()
  await row.getByRole('button', { name: 'Delete' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
