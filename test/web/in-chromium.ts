import { after, before, suite, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { launchChromium, whyNoBrowser } from './chromium.ts'
import { prepareClient } from './stage.ts'

/** Runs tests of the web client, by their titles, one after the other in a browser of their own. */
export function testInChromium(tests: Readonly<Record<string, (browser: Browser) => Promise<void>>>): void {
  suite('the web client in Chromium', { skip: whyNoBrowser }, () => {
    let browser: Browser
    before(async () => {
      await prepareClient()
      browser = await launchChromium()
    })
    after(() => browser.close())

    for (const [title, run] of Object.entries(tests)) test(title, () => run(browser))
  })
}
