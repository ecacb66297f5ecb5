import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The first draws the same pages without what a window needs, in little more than half the CPU time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

const path = process.env['PARLEY_TEST_CHROMIUM'] ?? PLACES.find((place) => existsSync(place))

/** Why the tests in the browser are skipped; false when there is one. */
export const whyNoBrowser: string | false =
  path === undefined && 'there is no Chromium here: install it, or name it in PARLEY_TEST_CHROMIUM'

export function launchChromium(): Promise<Browser> {
  // The sandbox needs what containers and root do not give; the pages are our own.
  return chromium.launch({ ...(path !== undefined && { executablePath: path }), args: ['--no-sandbox'] })
}
