import assert from 'node:assert/strict'
import { drawPicture } from '#testing/sample/gallery-content.ts'
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
const VIDEO = 'https://www.youtube.com/watch?v=hx1mjT73xYE'

const cup = drawPicture(90, 60, [
  [188, 214, 192],
  [148, 192, 156],
  [84, 172, 190],
])

test('a link gets a preview with its picture while the message is shown, and the browser contacts no other site', async () => {
  const stage = await openStage({
    fetchPage: async (url, _signal, format) =>
      format === 'json' && url.startsWith('https://www.youtube.com/oembed?')
        ? {
            url,
            html: JSON.stringify({ type: 'video', title: 'The debate', thumbnail_url: 'https://i.ytimg.com/a.jpg' }),
          }
        : url === TEA
          ? { url, html: HEAD }
          : null,
    fetchMedia: async (url) => (/cup\.png$|mqdefault\.jpg$/.test(url) ? cup : null),
  })
  const { ada, ben } = await fillExample(stage.chat)
  await stage.chat.change({ inline_url_embed_preview: true })
  const page = await stage.openAs(ben, '/channels/1?topic=icons')
  const hosts = new Set<string>()
  page.on('request', (request) => hosts.add(new URL(request.url()).origin))

  await sendToChannel(ada, { name: 'design' }, `Read ${TEA} and see ${VIDEO}`, 'icons')
  const card = page.locator('.link-preview')
  const title = card.getByRole('link', { name: 'A short history of tea in Europe' })
  await title.waitFor()
  assert.equal(await title.getAttribute('href'), TEA)
  await card.getByText('How leaves from Fujian came to every kitchen & office.').waitFor()
  await card.getByText('example.com', { exact: true }).waitFor()
  const widthOf = (image: Element) => (image as HTMLImageElement).naturalWidth
  await becomes(() => card.locator('img').evaluate(widthOf), 90)
  const video = page.getByRole('link', { name: /The debate/ })
  assert.equal(await video.getAttribute('href'), VIDEO)
  assert.equal(await video.getAttribute('target'), '_blank')
  await becomes(() => video.locator('img').evaluate(widthOf), 90)
  assert.deepEqual(await inspect(page, 'link-preview'), [])
  assert.equal(await page.getByText('Edited').count(), 0)
  assert.deepEqual([...hosts], [new URL(stage.url).origin])
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
