import type { Page } from 'playwright-core'

/**
 * Makes the page wait for the topics of a channel until the returned function is called, where it otherwise opens the
 * feed after 0.3 seconds.
 */
export async function holdFeed(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const start = window.setTimeout
    const held: (() => void)[] = []
    const later = (run: () => void, time?: number, ...given: []) => {
      if (time !== 300) return start(run, time, ...given)
      held.push(() => run(...given))
      return 0
    }
    const openFeed = () => {
      for (const open of held) open()
    }
    Object.assign(window, { setTimeout: later, openFeed })
  })
  return () => page.evaluate(() => (window as unknown as { openFeed(): void }).openFeed())
}
