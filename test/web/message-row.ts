import type { Page } from 'playwright-core'

/** Returns the row of the message with this text. */
export const rowOf = (page: Page, text: string) => page.locator('[data-message]', { hasText: text })

/** Opens the menu of the message with this text. */
export async function openMenu(page: Page, text: string): Promise<void> {
  await rowOf(page, text).hover()
  await rowOf(page, text)
    .getByRole('button', { name: /^More actions/ })
    .click()
}

/** Runs an action from the menu of the message with this text. */
export async function choose(page: Page, text: string, act: string): Promise<void> {
  await openMenu(page, text)
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}
