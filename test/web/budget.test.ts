import assert from 'node:assert/strict'
import type { Request } from 'playwright-core'
import { fillExample } from './example.ts'
import { test } from './in-chromium.ts'
import { openStage } from './stage.ts'

/** The maximum number of files of script that the first page may load. */
const MAX_FILES = 12

/** The pages that open first. `max` is the most script that they may load, compressed, in KiB. */
const pages = [
  { name: 'inbox', path: '/', isShown: 'h1:text("Inbox")', max: 180 },
  { name: 'conversation', path: '/channels/1', isShown: '.timeline [data-message]', max: 225 },
]

for (const { name, path, isShown, max } of pages)
  test(`a first page loads at most ${max} KiB of script in at most ${MAX_FILES} files: ${name}`, async () => {
    const stage = await openStage()
    const { ben } = await fillExample(stage.chat)
    const page = await stage.openAs(ben, '/login/', { isCold: true })
    // Until then, the page of the login may still load scripts.
    await page.goto('about:blank')
    const scripts: Request[] = []
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request)
    })

    // Without longer timers, the client loads neither the code for caching the view nor the other pages in advance.
    await page.addInitScript(() => {
      const start = globalThis.setTimeout
      const wait = (run: () => void, delay = 0, ...rest: []) => (delay < 300 ? start(run, delay, ...rest) : 0)
      Object.assign(globalThis, { setTimeout: wait })
    })

    await page.goto(path)
    await page.locator(isShown).first().waitFor()

    // The browser counts no bytes of scripts that it has preloaded or cached, so their length comes from the headers.
    const responses = await Promise.all(scripts.map((request) => request.response()))
    const sizes = await Promise.all(responses.map(async (one) => Number(await one?.headerValue('content-length'))))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    assert.ok(sizes.length > 0 && sizes.length <= MAX_FILES, `${sizes.length} files of script`)
    assert.ok(total > 0 && total <= max * 1024, `${total} bytes of script`)
    await stage.close()
  })
