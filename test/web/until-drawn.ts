import type { Page } from 'playwright-core'

/**
 * Waits until the page has drawn itself again, so that its scripts know its size and theme. `requestAnimationFrame` does
 * not work here, because the clock of the tests replaces it.
 */
export const untilDrawn = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => new IntersectionObserver(() => resolve()).observe(document.documentElement)),
  )
