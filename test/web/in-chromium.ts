import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test as nodeTest } from 'node:test'
import type { Browser } from 'playwright-core'
import { buildWeb, isWebBuilt } from '../../tools/web-build.mjs'
import { browserMissing, launchChromium } from './chromium.ts'

const REPOSITORY = path.join(import.meta.dirname, '../..')

/** The browser that all tests of this process share, from the first test that needs it. */
let launched: Promise<Browser> | null = null
after(async () => (await launched)?.close())

export function sharedBrowser(): Promise<Browser> {
  launched ??= launchChromium()
  return launched
}

/**
 * Declares a test of the web client in Chromium. The client is built first if its sources changed; the test is skipped
 * where there is no Chromium.
 */
export function test(title: string, run: () => Promise<void>): void {
  nodeTest(title, { skip: browserMissing }, async () => {
    if (!isWebBuilt(REPOSITORY)) assert.equal(await buildWeb(REPOSITORY), null)
    await run()
  })
}
