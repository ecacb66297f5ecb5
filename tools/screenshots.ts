/** `npm run screenshots`: takes the pictures of the README in Chromium, from the sample organization of a test server. */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startTestServer } from '../server/testing/test-server.ts'
import { browserMissing, launchChromium } from '../test/web/chromium.ts'
import { buildWeb, isWebBuilt } from './web-build.mjs'

type World = {
  users: Record<string, { delivery_email: string; password: string }>
  channels: Record<string, { stream_id: number }>
}

const root = path.dirname(import.meta.dirname)
const folder = path.join(root, 'docs/images')

/** The WebP quality in percent, at which each picture has at most 150 KB. */
const QUALITY = 80

if (browserMissing !== false) throw new Error(browserMissing)
if (!isWebBuilt(root)) await buildWeb(root)
const server = await startTestServer({ port: 0, database: 'memory' })
const created = await fetch(`${server.url}/testing/organizations`, {
  method: 'POST',
  body: JSON.stringify({ subdomain: '', name: 'Bright Labs', preset: 'sample' }),
})
const { users, channels } = (await created.json()) as World
const origin = `http://localhost:${server.port}`
await mkdir(folder, { recursive: true })
const browser = await launchChromium()
try {
  for (const theme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 750 }, colorScheme: theme })
    const page = await context.newPage()
    await page.goto(`${origin}/login/`)
    await page.fill('input[name="email"]', users['alice']!.delivery_email)
    await page.fill('input[name="password"]', users['alice']!.password)
    await page.press('input[name="password"]', 'Enter')
    await page.waitForSelector('main')
    await page.goto(`${origin}/channels/${channels['engineering']!.stream_id}`)
    await page.waitForSelector('article')
    await page.waitForTimeout(1000)
    const session = await context.newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY })
    const picture = Buffer.from(data, 'base64')
    await writeFile(path.join(folder, `chat-${theme}.webp`), picture)
    console.log(`docs/images/chat-${theme}.webp: ${Math.round(picture.length / 1024)} KB`)
    await context.close()
  }
} finally {
  await browser.close()
  await server.close()
}
