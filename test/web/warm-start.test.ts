import assert from 'node:assert/strict'
import type { Page, Request } from 'playwright-core'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { waitForCachedView } from './cached-view.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

const TOPIC = '/channels/1?topic=colours'

/** Holds back all calls of the API until `open` is called; `calls` are the routes that were called. */
async function gate(page: Page): Promise<{ calls: string[]; open: () => Promise<void> }> {
  const held: (() => void)[] = []
  const calls: string[] = []
  await page.route('**/json/**', async (route, request: Request) => {
    calls.push(new URL(request.url()).pathname)
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue().catch(() => {})
  })
  return {
    calls,
    async open() {
      await page.unroute('**/json/**')
      for (const pass of held) pass()
    },
  }
}

const cacheNames = (page: Page) =>
  page.evaluate(async () =>
    (await indexedDB.databases()).map(({ name }) => name ?? '').filter((name) => name.startsWith('parley-cache.')),
  )

test('a page that is opened again shows the last view at once, and then what happened meanwhile', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await waitForCachedView(page, ben)
  await sendToChannel(ada, { name: 'design' }, 'just before', 'colours')
  await page.getByText('just before').waitFor()

  const { calls, open } = await gate(page)
  await page.reload()
  for (const text of ['warmer grey', 'just before']) await page.getByText(text).waitFor()
  await sendToChannel(ada, { name: 'design' }, 'meanwhile', 'colours')
  assert.equal(await page.getByText('meanwhile').count(), 0)
  await open()

  await page.getByText('meanwhile').waitFor()
  assert.ok(!calls.includes('/json/register') && !calls.includes('/json/messages'), String(calls))
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a page that is opened again after a change of the settings of the server shows what they turn on', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await waitForCachedView(page, ben)

  stage.chat.settings.GIPHY_API_KEY = 'key'
  await page.reload()
  await page.getByRole('textbox', { name: 'Message' }).click()

  await page.getByRole('button', { name: 'Add GIF' }).waitFor()
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a page that is opened again on a busy machine waits for the cached view', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await waitForCachedView(page, ben)
  await page.addInitScript(() => {
    const { open } = IDBFactory.prototype
    const stall = () => {
      const end = performance.now() + 4000
      while (performance.now() < end);
    }
    IDBFactory.prototype.open = function (...given) {
      const opening = open.apply(this, given)
      if (!given[0].startsWith('parley-cache.')) return opening
      opening.addEventListener('success', stall, { once: true })
      IDBFactory.prototype.open = open
      return opening
    }
  })

  const { calls, open } = await gate(page)
  await page.reload()
  await page.getByText('warmer grey').waitFor()
  await open()

  assert.ok(!calls.includes('/json/register') && !calls.includes('/json/messages'), String(calls))
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('a view whose event queue has expired is loaded again, and opens at the first unread message', async () => {
  const stage = await openStage()
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/login/missing')
  const polling = page.waitForRequest('**/json/events?*')
  await page.goto(TOPIC)
  await waitForCachedView(page, ben)
  const queueId = new URL((await polling).url()).searchParams.get('queue_id')
  await page.goto('about:blank')
  await ben.succeed('DELETE /events', { queue_id: queueId })
  for (let at = 1; at <= 40; at += 1) await sendToChannel(ada, { name: 'design' }, `unseen ${at}`, 'colours')

  const { open } = await gate(page)
  await page.goto(TOPIC)
  await page.getByText('warmer grey').waitFor()
  await open()

  await page.getByText('unseen 1', { exact: true }).waitFor()
  const isInView = (text: string) =>
    page.getByText(text, { exact: true }).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      const list = element.closest('.timeline')!.getBoundingClientRect()
      return top >= list.top && bottom <= list.bottom
    })
  await becomes(() => isInView('unseen 1'), true)
  assert.equal(await isInView('unseen 40'), false)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('pages open without a cache, and with a damaged one', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  const damage = (kind: 'deleted' | 'incomplete' | 'nonsense') =>
    page.evaluate(
      async ([name, way]) => {
        if (way === 'deleted') return void indexedDB.deleteDatabase(name)
        const opening = indexedDB.open(name)
        await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve }))
        const transaction = opening.result.transaction('entries', 'readwrite')
        const entries = transaction.objectStore('entries')
        if (way === 'incomplete') entries.delete('unread')
        else entries.put('nonsense', 'organization.subscriptions')
        await new Promise((resolve) => Object.assign(transaction, { oncomplete: resolve }))
        opening.result.close()
      },
      [`parley-cache.${ben.id}`, kind] as const,
    )

  for (const kind of ['deleted', 'incomplete', 'nonsense'] as const) {
    await waitForCachedView(page, ben)
    await page.goto('/login/missing')
    await damage(kind)
    await page.goto(TOPIC)
    if (kind === 'nonsense') {
      await page.getByText('Couldn’t show this page').waitFor()
      stage.complaints()
      await page.getByRole('button', { name: 'Try again' }).click()
    }
    await page.getByText('warmer grey').waitFor()
  }

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('logging out removes the cached view, and so does the login page after the session has ended', async () => {
  const stage = await openStage()
  const { ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, TOPIC)
  await waitForCachedView(page, ben)
  await becomes(() => cacheNames(page), [`parley-cache.${ben.id}`])

  await page.getByRole('button', { name: /account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.waitForURL(/\/login\//)
  await becomes(() => cacheNames(page), [])
  await stage.signIn(page, ben)
  await page.goto(TOPIC)
  await waitForCachedView(page, ben)
  await stage.endSession(page)
  await page.goto(TOPIC)
  await page.waitForURL(/\/login\//)

  await becomes(() => cacheNames(page), [])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
