import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { fillGallery } from '#testing/sample/gallery.ts'
import { fetchGalleryMedia, fetchGalleryPage, galleryTopics } from '#testing/sample/gallery-content.ts'
import type { Person } from '../../harness.ts'
import { noResizing } from '../../pictures.ts'
import { becomes } from '../becomes.ts'
import { fillExample } from '../example.ts'
import { test } from '../in-chromium.ts'
import { resize } from '../resize.ts'
import { openStage } from '../stage.ts'
import { findDifference, stack } from './compare-pictures.ts'

/** The widths of the window, and of a message in it, independent of the panes beside the conversation. */
const WIDTHS = [
  [1280, 640],
  [820, 480],
  [390, 300],
] as const

/** Hides the controls of the browser, which differ between machines, and the toolbar of the message with the focus. */
const STEADY = `
  audio, .message-tools { visibility: hidden !important; }
  *, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
`

const SHOWN = '[data-message] .message-content:not(:has(~ .widget)), [data-message] .widget'

const accountOf = (url: string, person: Person) => ({ url, email: person.email, apiKey: person.apiKey })

async function openGallery() {
  const stage = await openStage({ fetchMedia: fetchGalleryMedia, fetchPage: fetchGalleryPage })
  const { ada, ben } = await fillExample(stage.chat)
  await stage.chat.change({ inline_url_embed_preview: true })
  const channelId = await fillGallery(accountOf(stage.url, ada), accountOf(stage.url, ben))
  await stage.chat.app.jobs.linkPreviews.settled()
  return { stage, ada, channelId }
}

async function openTopic(page: Page, channelId: number, topic: string): Promise<void> {
  await page.goto(`/channels/${channelId}?topic=${encodeURIComponent(topic)}`)
  await page.locator(SHOWN).first().waitFor()
  await page.locator('.timeline-rows[aria-busy="false"]').waitFor()
  await page.evaluate((css) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    document.adoptedStyleSheets = [sheet]
  }, STEADY)
}

/** Waits until fonts, pictures and formulas are shown as they stay. */
const waitForContent = (page: Page): Promise<void> =>
  becomes(
    () =>
      page.evaluate(async () => {
        const images = [...document.querySelectorAll<HTMLImageElement>('[data-message] img')]
        const formulas = document.querySelectorAll('.formula:not([data-styled])').length
        // A layout requests the fonts.
        document.body.getBoundingClientRect()
        await document.fonts.ready
        return images.every((image) => image.complete) && formulas === 0
      }),
    true,
  )

/** Returns pictures of all messages of the page at this width. */
async function pictureMessages(page: Page, width: number): Promise<Buffer[]> {
  await page.evaluate((size) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      `.message-content, .widget { inline-size: ${size}px !important; max-inline-size: none !important; }`,
    )
    document.adoptedStyleSheets = [document.adoptedStyleSheets[0]!, sheet]
  }, width)
  await waitForContent(page)
  const pictures: Buffer[] = []
  for (const message of await page.locator(SHOWN).all()) pictures.push(await message.screenshot())
  return pictures
}

if (noResizing === false)
  test('every kind of content looks as expected in both themes and at three widths', async () => {
    const { stage, ada, channelId } = await openGallery()
    const page = await stage.openAs(ada, '/', { height: 2400 })
    const problems: string[] = []

    for (const { topic } of galleryTopics.filter((one) => one.isPictured !== false)) {
      await openTopic(page, channelId, topic)
      const spoilers = page.getByRole('button', { name: 'Show spoiler' })
      if ((await spoilers.count()) > 0) await spoilers.first().click()
      await page.mouse.move(0, 0)
      for (const [windowWidth, width] of WIDTHS) {
        await resize(page, { width: windowWidth, height: 2400 })
        for (const theme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: theme })
          const name = `${topic.replace(/\W+/g, '-')}-${windowWidth}-${theme}`
          const problem = await findDifference(name, await stack(await pictureMessages(page, width)))
          if (problem !== null) problems.push(problem)
        }
      }
    }
    const hint =
      'The pictures are in .cache/screenshots/gallery. If they are right, run PARLEY_UPDATE_PICTURES=1 npm test -- --sqlite web/gallery'
    assert.deepEqual(problems, [], `${problems.join('\n')}\n${hint}`)
    assert.deepEqual(stage.complaints(), [])
    await stage.close()
  })

/** Returns the installed fonts with which the messages of the page are drawn. The MathML of formulas is not visible. */
async function installedFonts(page: Page): Promise<string[]> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('DOM.enable')
  await devTools.send('CSS.enable')
  const { root } = await devTools.send('DOM.getDocument')
  const selector = ':is([data-message] .message-content, [data-message] .widget) :not(.katex-mathml, .katex-mathml *)'
  const { nodeIds } = await devTools.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector })
  const used = new Set<string>()
  for (const nodeId of nodeIds) {
    const { fonts } = await devTools.send('CSS.getPlatformFontsForNode', { nodeId })
    for (const { familyName, isCustomFont } of fonts) if (!isCustomFont) used.add(familyName)
  }
  await devTools.detach()
  return [...used]
}

test('what is pictured is drawn without installed fonts, which differ between machines', async () => {
  const { stage, ada, channelId } = await openGallery()
  const page = await stage.openAs(ada, '/', { height: 2400 })

  for (const { topic } of galleryTopics.filter((one) => one.isPictured !== false)) {
    await openTopic(page, channelId, topic)
    await waitForContent(page)
    assert.deepEqual(await installedFonts(page), [], topic)
  }
  await stage.close()
})

test('no content is wider than its message, however hostile', async () => {
  const { stage, ada, channelId } = await openGallery()
  const page = await stage.openAs(ada, '/', { width: 390, height: 2400 })

  for (const { topic } of galleryTopics) {
    await openTopic(page, channelId, topic)
    await waitForContent(page)
    const wide = await page.locator(SHOWN).evaluateAll((messages) =>
      messages.flatMap((message) => {
        const { right } = message.getBoundingClientRect()
        return [...message.querySelectorAll('*')]
          .filter((part) => part.closest('pre, .table-box, .katex, .visually-hidden') === null)
          .filter((part) => part.getBoundingClientRect().right > right + 1)
          .map((part) => `${part.tagName}.${part.className}`)
      }),
    )
    assert.deepEqual(wide, [], topic)
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), true, topic)
  }
  assert.deepEqual(stage.complaints(), [])
  await stage.close()
})
