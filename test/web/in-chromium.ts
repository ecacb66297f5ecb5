import { after, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium, whyNoBrowser } from './chromium.ts'
import { prepareClient } from './stage.ts'

/** The browser that all tests of this process share, once a test needs it. */
let launched: Promise<Browser> | null = null
after(async () => (await launched)?.close())

/** Runs tests of the web client, by their titles, one after the other in a browser that all test files of the process share. */
export function testInChromium(tests: Readonly<Record<string, (browser: Browser) => Promise<void>>>): void {
  suite('the web client in Chromium', { skip: whyNoBrowser }, () => {
    for (const [title, run] of Object.entries(tests))
      test(title, async () => {
        await prepareClient()
        launched ??= launchChromium()
        await run(await launched)
      })
  })
}
