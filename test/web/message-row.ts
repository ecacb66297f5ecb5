import type { Page } from 'playwright-core'

/** The row of the message that says this. */
export const rowOf = (page: Page, text: string) => page.locator('[data-message]', { hasText: text })

/** Opens the menu of the message that says this. */
export async function openMenu(page: Page, text: string): Promise<void> {
  await rowOf(page, text).hover()
  await rowOf(page, text)
    .getByRole('button', { name: /^More actions/ })
    .click()
}

/** Does with the message that says this what its menu offers. */
export async function choose(page: Page, text: string, act: string): Promise<void> {
  await openMenu(page, text)
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}
