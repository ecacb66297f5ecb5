import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell renders the same pages without a window, with little more than half the CPU time. */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
]

const path = process.env['PARLEY_TEST_CHROMIUM'] ?? PATHS.find((one) => existsSync(one))

/** The reason why browser tests are skipped; false if they run. */
export const browserMissing: string | false =
  path === undefined && 'there is no Chromium here: install it, or name it in PARLEY_TEST_CHROMIUM'

export function launchChromium(): Promise<Browser> {
  // The sandbox does not work in containers or for root; the pages are our own. Pages of a context share a process, in
  // which scripts stay compiled.
  const args = ['--no-sandbox', '--process-per-site']
  return chromium.launch({ ...(path !== undefined && { executablePath: path }), args })
}
