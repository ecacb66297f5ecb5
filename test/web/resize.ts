import type { Page } from 'playwright-core'
import { untilDrawn } from './until-drawn.ts'

/** Changes the size of the window, and waits until the page has adapted to it. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, size)
  // With the first drawing the client learns the new size, and the second one shows the changed page.
  await untilDrawn(page)
  await untilDrawn(page)
}
