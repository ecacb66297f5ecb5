import type { Locator } from 'playwright-core'

/** Presses a button that copies a text, and waits until the page says that it has, which it does for two seconds only. */
export async function pressCopy(button: Locator): Promise<void> {
  const isCopied = () =>
    [...document.querySelectorAll('*')].some((one) => one.childElementCount === 0 && one.textContent === 'Copied')
  const copied = button.page().waitForFunction(isCopied, undefined, { polling: 100 })
  await button.click()
  await copied
}
