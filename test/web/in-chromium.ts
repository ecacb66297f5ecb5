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

/** Returns the browser. The client is built first if its sources changed. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= buildAndLaunch()
  return launched
}

async function buildAndLaunch(): Promise<Browser> {
  if (!isWebBuilt(REPOSITORY)) assert.equal(await buildWeb(REPOSITORY), null)
  return launchChromium()
}

/**
 * Declares a test of the web client in Chromium; it is skipped where there is no Chromium. No function stands between
 * the test and Node, which reports the place of the call.
 */
export const test: typeof nodeTest.skip = browserMissing === false ? nodeTest : nodeTest.skip
if (browserMissing !== false) console.log(`Browser tests are skipped: ${browserMissing}`)
