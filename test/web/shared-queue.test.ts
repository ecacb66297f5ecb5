import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { waitForCachedView } from './cached-view.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const TOPIC = '/channels/1?topic=colours'

const DESIGN = { name: 'design' }

const texts = (page: Page) => page.locator('.timeline .message-content').allTextContents()

/** Returns the number of requests for a path so far. */
function counter(context: BrowserContext, path: string): () => number {
  let count = 0
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === path) count += 1
  })
  return () => count
}

async function openPages(count: number) {
  const stage = await openStage()
  const cast = await fillExample(stage.chat)
  const first = await stage.openAs(cast.ben, '/login/missing')
  const context = first.context()
  const registrations = counter(context, '/json/register')
  const pages = [first]
  while (pages.length < count) pages.push(await context.newPage())
  for (const page of pages) {
    await page.goto(TOPIC)
    await page.getByText('warmer grey').waitFor()
  }
  return { stage, pages, registrations, context, ...cast }
}

test('pages of a user share an event queue, and when the page that polls is closed another one continues', async () => {
  const { stage, pages, registrations, ada } = await openPages(3)
  const [first, second, third] = pages as [Page, Page, Page]
  const sent: string[] = []
  const send = async (text: string) => {
    sent.push(text)
    await sendToChannel(ada, DESIGN, text, 'colours')
  }

  await send('one')
  for (const page of pages) await page.getByText('one', { exact: true }).waitFor()
  const closing = first.close()
  for (let at = 1; at <= 10; at += 1) await send(`while closing ${at}`)
  await closing
  await second.reload()
  for (let at = 1; at <= 10; at += 1) await send(`while reloading ${at}`)

  for (const page of [second, third]) await becomes(async () => (await texts(page)).slice(1), sent)
  assert.equal(registrations(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('when the event queue has expired, all pages catch up', async () => {
  const { stage, pages, registrations, context, ada, ben } = await openPages(2)
  const polling = context.waitForEvent('request', (request) => request.url().includes('/json/events?'))
  await sendToChannel(ada, DESIGN, 'before', 'colours')
  const queueId = new URL((await polling).url()).searchParams.get('queue_id')
  for (const page of pages) await page.getByText('before').waitFor()

  await ben.succeed('DELETE /events', { queue_id: queueId })
  await becomes(async () => registrations(), 2)
  await sendToChannel(ada, DESIGN, 'after', 'colours')

  for (const page of pages) await becomes(async () => (await texts(page)).slice(1), ['before', 'after'])
  assert.equal(registrations(), 2)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a lost connection is shown in all pages, and messages of each are sent once it is back', async () => {
  const { stage, pages, context } = await openPages(2)

  await context.route('**/json/**', (route) => route.abort())
  for (const [at, page] of pages.entries()) {
    await page.getByLabel(/^Message /).fill(`from page ${at}`)
    await page.getByLabel(/^Message /).press('Control+Enter')
  }
  for (const page of pages) await page.getByText('Reconnecting…').waitFor()
  await context.unroute('**/json/**')

  for (const page of pages) {
    await becomes(async () => (await texts(page)).slice(1).sort(), ['from page 0', 'from page 1'])
    await becomes(() => page.locator('.outgoing').count(), 0)
    await becomes(() => page.getByText('Reconnecting…').count(), 0)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a page that polls but that the browser has frozen is replaced by a visible one', async () => {
  const { stage, pages, registrations, context, ada, ben } = await openPages(2)
  const [first, second] = pages as [Page, Page]
  await waitForCachedView(second, ben)
  const session = await context.newCDPSession(first)

  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await second.reload()
  await second.getByText('warmer grey').waitFor()
  await sendToChannel(ada, DESIGN, 'not stuck', 'colours')
  await second.getByText('not stuck').waitFor()
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await sendToChannel(ada, DESIGN, 'and back', 'colours')

  for (const page of pages) await becomes(async () => (await texts(page)).slice(1), ['not stuck', 'and back'])
  assert.equal(registrations(), 1)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('pages without locks, and those to which the browser refuses them, have a queue each', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const first = await stage.openAs(ben, '/login/missing')
  const registrations = counter(first.context(), '/json/register')
  const pages = [first, await first.context().newPage()]
  for (const [at, page] of pages.entries()) {
    await page.addInitScript((isRefused) => {
      const locks = isRefused ? { request: () => Promise.reject(new DOMException('', 'SecurityError')) } : undefined
      Object.defineProperty(Navigator.prototype, 'locks', { get: () => locks })
    }, at === 1)
    await page.goto(TOPIC)
    await page.getByText('warmer grey').waitFor()
  }

  await sendToChannel(ada, DESIGN, 'to both', 'colours')

  for (const page of pages) await becomes(async () => (await texts(page)).slice(1), ['to both'])
  assert.equal(registrations(), 2)
  await stage.close()
})
