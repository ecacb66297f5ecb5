import type { Page } from 'playwright-core'

/** Changes the size of the window, and waits until the page has adapted to it. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, size)
  // The first frame tells the client about the new size, and the second one shows the changed page.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
}
