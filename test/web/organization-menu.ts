import type { Page } from 'playwright-core'

/** Chooses an item from the organization's menu. */
export async function chooseInOrganizationMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /organization menu$/ }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}
