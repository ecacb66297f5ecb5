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

/** The actions that the menu of a message shows only after "More". */
const MORE = /^(?:View|Collapse|Expand|Copy as)/

/** Runs an action from the menu of the message with this text. */
export async function choose(page: Page, text: string, act: string): Promise<void> {
  await openMenu(page, text)
  if (MORE.test(act)) await page.getByRole('menuitem', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: act, exact: true }).click()
}
