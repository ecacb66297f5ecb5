import { after, before, suite, type TestContext, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { toldSecondTry, triesTwice } from '../../tools/second-tries.ts'
import { launchChromium, whyNoBrowser } from './chromium.ts'
import { prepareClient } from './stage.ts'

/**
 * Runs tests of the web client, by their titles, one after the other in a browser of their own. In a run of everything
 * one that fails is tried once more, in a new browser and before a new server; the report tells of it.
 */
export function testInChromium(tests: Readonly<Record<string, (browser: Browser) => Promise<void>>>): void {
  suite('the web client in Chromium', { skip: whyNoBrowser }, () => {
    let browser: Browser
    before(async () => {
      await prepareClient()
      browser = await launchChromium()
    })
    after(() => browser.close())

    async function tryAgain(title: string, error: unknown, context: TestContext): Promise<void> {
      await browser.close()
      browser = await launchChromium()
      await tests[title]!(browser)
      context.diagnostic(toldSecondTry(title, error))
    }

    for (const [title, run] of Object.entries(tests))
      test(title, async (context) => {
        try {
          await run(browser)
        } catch (error) {
          if (!triesTwice(process.env)) throw error
          await tryAgain(title, error, context)
        }
      })
  })
}
