import assert from 'node:assert/strict'
import { sendToChannel } from '../messages.ts'
import { becomes } from './becomes.ts'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { inspect } from './inspect.ts'
import { openStage } from './stage.ts'

const TEA = 'https://example.com/tea'
const HEAD =
  '<title>A short history of tea in Europe</title><meta property="og:image" content="https://pictures.example.com/cup.png">' +
  '<meta name="description" content="How leaves from Fujian came to every kitchen &amp; office.">'

test('a link gets a preview while the message is shown, and its picture is loaded when the user asks for it', async () => {
  const stage = await openStage({ fetchPage: async (url) => (url === TEA ? { url, html: HEAD } : null) })
  const { ada, ben } = await fillExample(stage.chat)
  await stage.chat.change({ inline_url_embed_preview: true })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const pictures: string[] = []
  await page.route('https://pictures.example.com/**', (route) => {
    pictures.push(route.request().url())
    return route.fulfill({
      contentType: 'image/svg+xml',
      body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    })
  })

  await sendToChannel(ada, { name: 'design' }, `Read ${TEA}`, 'icons')
  const card = page.locator('.link-preview')
  const title = card.getByRole('link', { name: 'A short history of tea in Europe' })
  await title.waitFor()
  assert.equal(await title.getAttribute('href'), TEA)
  await card.getByText('How leaves from Fujian came to every kitchen & office.').waitFor()
  await card.getByText('example.com', { exact: true }).waitFor()
  assert.deepEqual(await inspect(page, 'link-preview'), [])
  assert.deepEqual(pictures, [])

  await card.getByRole('button', { name: 'Show picture' }).click()
  await becomes(() => card.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth), 9)
  assert.deepEqual(pictures, ['https://pictures.example.com/cup.png'])
  assert.equal(await page.getByText('Edited').count(), 0)
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
