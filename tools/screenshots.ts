/**
 * `npm run screenshots`: takes the pictures of the README and of the help in Chromium, from the sample organization of
 * a test server. With `-- NAME`, it takes only the pictures whose name contains it.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { startTestServer } from '#testing/test-server.ts'
import { browserMissing, launchChromium } from '../test/web/chromium.ts'
import { HELP_PICTURE, HELP_WINDOW, helpPictures } from './help-pictures.ts'
import { buildWeb, isWebBuilt } from './web-build.mjs'

type World = {
  users: Record<string, { email: string; delivery_email: string; password: string; api_key: string }>
  channels: Record<string, { stream_id: number }>
}

const root = path.dirname(import.meta.dirname)
const README_WINDOW = { width: 1200, height: 750 }
const wanted = process.argv[2] ?? ''

if (browserMissing !== false) throw new Error(browserMissing)
if (!isWebBuilt(root)) await buildWeb(root)
const server = await startTestServer({ port: 0, database: 'memory' })
const created = await fetch(`${server.url}/testing/organizations`, {
  method: 'POST',
  body: JSON.stringify({ subdomain: '', name: 'Bright Labs', preset: 'sample' }),
})
const { users, channels } = (await created.json()) as World
const origin = `http://localhost:${server.port}`
await leaveTestChannels()
const browser = await launchChromium()
try {
  if ('chat'.includes(wanted)) await takeForReadme(await openPage(browser, README_WINDOW))
  await takeForHelp(await openPage(browser, HELP_WINDOW))
} finally {
  await browser.close()
  await server.close()
}

/**
 * Unsubscribes Alice from the channels that every test organization has, so that the sidebar shows those of the sample.
 */
async function leaveTestChannels(): Promise<void> {
  const { email, api_key: key } = users['alice']!
  const subscriptions = JSON.stringify(['def1', 'web', 'shared', 'protected'])
  const response = await fetch(`${origin}/api/v1/users/me/subscriptions?${new URLSearchParams({ subscriptions })}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}` },
  })
  if (!response.ok) throw new Error(await response.text())
}

async function openPage(browser: Browser, viewport: { width: number; height: number }): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    deviceScaleFactor: viewport === HELP_WINDOW ? 2 : 1,
  })
  const page = await context.newPage()
  await page.goto(`${origin}/login/`)
  await page.fill('input[name="email"]', users['alice']!.delivery_email)
  await page.fill('input[name="password"]', users['alice']!.password)
  await page.press('input[name="password"]', 'Enter')
  await page.waitForSelector('main')
  return page
}

async function takeForReadme(page: Page): Promise<void> {
  await page.goto(`${origin}/channels/${channels['engineering']!.stream_id}?topic=on%20call`)
  await page.waitForSelector('article')
  await page.waitForTimeout(1000)
  await take(page, 'docs/images/chat', { quality: 80 })
}

/** Takes pictures of the same size of the elements that they are about. */
async function takeForHelp(page: Page): Promise<void> {
  for (const [name, { at, steps, shows, windowWidth }] of Object.entries(helpPictures(channels))) {
    if (!name.includes(wanted)) continue
    const viewport = { ...HELP_WINDOW, width: windowWidth ?? HELP_WINDOW.width }
    await page.setViewportSize(viewport)
    await page.goto(origin + at)
    await page.waitForSelector('main')
    await page.waitForTimeout(1500)
    await steps?.(page)
    const element = page.locator(shows).last()
    await element.waitFor()
    await element.scrollIntoViewIfNeeded()
    await page.waitForTimeout(500)
    const box = (await element.boundingBox())!
    const start = (from: number, size: number, picture: number, window: number) =>
      Math.round(Math.max(0, Math.min(window - picture, size > picture ? from : from + size / 2 - picture / 2)))
    const x = start(box.x, box.width, HELP_PICTURE.width, viewport.width)
    const y = start(box.y, box.height, HELP_PICTURE.height, viewport.height)
    await take(page, `web/help/pictures/${name}`, { quality: 55, clip: { x, y, ...HELP_PICTURE, scale: 1 } })
  }
}

type Clip = { x: number; y: number; width: number; height: number; scale: number }

/** Takes a picture in each theme. */
async function take(page: Page, name: string, { quality, clip }: { quality: number; clip?: Clip }): Promise<void> {
  await mkdir(path.dirname(path.join(root, name)), { recursive: true })
  const session = await page.context().newCDPSession(page)
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await page.waitForTimeout(300)
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality,
      ...(clip !== undefined && { clip }),
    })
    const picture = Buffer.from(data, 'base64')
    await writeFile(path.join(root, `${name}-${theme}.webp`), picture)
    console.log(`${name}-${theme}.webp: ${Math.round(picture.length / 1024)} KB`)
  }
}
