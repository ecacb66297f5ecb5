import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { picture } from '../pictures.ts'
import { allowsLoopback, startWebhookReceiver, status } from '../webhook-receiver.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const image = (id: string, name: string) => ({
  url: `https://media.giphy.com/media/${id}/${name}.gif`,
  width: '200',
  height: '150',
})

const gif = (id: string, title: string) => ({
  id,
  title,
  images: { fixed_width: image(id, '200w'), fixed_width_still: image(id, '200w_s'), original: image(id, 'giphy') },
})

const found = (titles: readonly string[], offset = 0, total = titles.length) => ({
  data: titles.map((title, at) => gif(`g${offset + at}`, title)),
  pagination: { total_count: total, count: titles.length, offset },
})

/** Opens a conversation in an organization with a stand-in for GIPHY. */
async function openWithGifs(look: { width?: number } = {}) {
  const giphy = await startWebhookReceiver()
  giphy.behave((response, { path }) => {
    const { pathname, searchParams } = new URL(path, 'http://giphy')
    const query = searchParams.get('q')
    if (pathname.endsWith('trending'))
      response.end(
        JSON.stringify(found(['Popular cat', 'Popular dog', 'Popular owl'], Number(searchParams.get('offset')), 6)),
      )
    else if (query === 'nothing') response.end(JSON.stringify(found([])))
    else response.end(JSON.stringify(found([`${query} one`, `${query} two`])))
  })
  const pictures = await Promise.all([picture(200, 150), picture(220, 160)])
  const stage = await openStage({
    settings: { ...allowsLoopback, GIPHY_API_KEY: 'the-key' },
    serviceOrigins: { giphy: `http://127.0.0.1:${giphy.port}` },
    fetchMedia: async (url) => pictures[url.includes('/g0/') ? 0 : 1] ?? null,
  })
  const { ada, ben } = await fillExample(stage.chat)
  const page = await stage.openAs(ben, '/channels/1?topic=colours', look)
  await page.getByText('warmer grey').waitFor()
  return { giphy, stage, ada, page }
}

const box = (page: Page) => page.getByLabel(/^Message/)
const picker = (page: Page) => page.getByRole('dialog', { name: 'GIFs' })
const search = (page: Page) => picker(page).getByRole('searchbox', { name: 'Search GIFs' })

async function openPicker(page: Page): Promise<void> {
  await box(page).click()
  await page.getByRole('button', { name: 'Add GIF' }).click()
  await picker(page).getByRole('option', { name: 'Popular cat' }).first().waitFor()
}

test('a GIF is found, chosen by keyboard, and shown in the message, without a request to another site', async () => {
  const { stage, page } = await openWithGifs()
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))

  await openPicker(page)
  await picker(page).getByText('Powered by GIPHY').waitFor()
  assert.deepEqual(await inspect(page, 'gif-picker'), [])
  await search(page).fill('hooray')
  await picker(page).getByRole('option', { name: 'hooray one' }).waitFor()
  await search(page).press('ArrowDown')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await becomes(() => box(page).inputValue(), '[hooray two](https://media.giphy.com/media/g1/giphy.gif) ')
  await page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA')
  await box(page).press('Control+Enter')
  const shown = page.locator('[data-message] img[src^="/external_content/"]')
  await shown.waitFor()

  await becomes(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth), 220)
  assert.deepEqual([...origins], [stage.url])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('more GIFs are shown on demand; a search that finds nothing, and one that fails, say what to do', async () => {
  const { giphy, stage, page } = await openWithGifs()
  await openPicker(page)

  await picker(page).getByRole('button', { name: 'Show more' }).click()
  await becomes(() => picker(page).getByRole('option').count(), 6)
  await search(page).fill('nothing')
  await picker(page).getByText('Try other words', { exact: false }).waitFor()
  giphy.behave(status(500))
  await search(page).fill('cat')
  await picker(page).getByText('The search for GIFs does not respond.', { exact: false }).first().waitFor()
  giphy.behave(found(['A cat']))
  await picker(page).getByRole('button', { name: 'Try again' }).click()
  await picker(page).getByRole('option', { name: 'A cat' }).waitFor()
  await page.context().setOffline(true)
  await search(page).fill('dog')
  await picker(page).getByText('The server can’t be reached.', { exact: false }).first().waitFor()
  await page.context().setOffline(false)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})

test('phones have GIFs in the menu of what can be added; administrators choose the rating, or turn them off', async () => {
  const { stage, ada, page } = await openWithGifs({ width: 390 })
  const adas = await stage.openAs(ada, '/organization/messages')
  await box(page).fill('')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('menuitem', { name: 'GIF' }).click()
  await picker(page).getByRole('option', { name: 'Popular dog' }).click()
  await becomes(() => box(page).inputValue(), '[Popular dog](https://media.giphy.com/media/g1/giphy.gif) ')

  await adas.getByRole('button', { name: /GIFs in the compose box/ }).click()
  await adas.getByRole('option', { name: 'No GIFs' }).click()
  await becomes(async () => {
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Poll' }).waitFor()
    const count = await page.getByRole('menuitem', { name: 'GIF' }).count()
    await page.keyboard.press('Escape')
    return count
  }, 0)

  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
