import assert from 'node:assert/strict'
import type { Request } from 'playwright-core'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** The most script that the first page may load, compressed, in bytes, and the number of files. */
const MAX_SCRIPT = 200 * 1024
const MAX_FILES = 12

const pages = [
  { name: 'inbox', path: '/', isShown: 'h1:text("Inbox")' },
  { name: 'conversation', path: '/channels/1', isShown: '.timeline [data-message]' },
]

for (const { name, path, isShown } of pages)
  test(`a first page loads at most 200 KB of script in at most 12 files: ${name}`, async () => {
    const stage = await openStage()
    const { ben } = await fillExample(stage.chat)
    const page = await stage.openAs(ben, '/login/', { isCold: true })
    const scripts: Request[] = []
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request)
    })

    // Without long timers, the client does not load the other pages in advance, which it does after some seconds.
    await page.addInitScript(() => {
      const start = globalThis.setTimeout
      const wait = (run: () => void, delay = 0, ...rest: []) => (delay < 4000 ? start(run, delay, ...rest) : 0)
      Object.assign(globalThis, { setTimeout: wait })
    })

    await page.goto(path)
    await page.locator(isShown).first().waitFor()

    const sizes = await Promise.all(scripts.map((request) => request.sizes()))
    const total = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    assert.ok(sizes.length > 0 && sizes.length <= MAX_FILES, `${sizes.length} files of script`)
    assert.ok(total <= MAX_SCRIPT, `${total} bytes of script`)
    await stage.close()
  })
