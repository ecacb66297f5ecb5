import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes, patience } from './becomes.ts'

/** Returns the name of the focused element; empty if none has the focus, or the whole page. */
export const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement
    if (element.matches('main, body')) return ''
    const labelledBy = element.getAttribute('aria-labelledby')?.split(' ') ?? []
    const labels = labelledBy.flatMap((id) => document.getElementById(id) ?? [])
    const named = labels.length > 0 ? labels : 'labels' in element ? [...(element as HTMLInputElement).labels!] : []
    const text = named.map((label) => label.textContent).join(' ')
    const shown = element.cloneNode(true) as Element
    for (const hidden of shown.querySelectorAll('[aria-hidden="true"]')) hidden.remove()
    return (element.getAttribute('aria-label') || text || shown.textContent || '').trim()
  })

/** Waits until the element with this name has the focus again, shortly after a dialog has closed. */
export const focusReturnsTo = (page: Page, name: string): Promise<void> => becomes(() => focused(page), name)

/** Waits until the element of the selector, or one inside it, has the focus. */
export const untilFocusIn = (page: Page, selector: string): Promise<unknown> =>
  page.waitForFunction((selector) => document.activeElement?.closest(selector) != null, selector)

/** Presses Tab, or another key, until an element with this name has the focus. */
export async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  // A page may still be loading elements, while keys move the focus over the others.
  const end = performance.now() + patience()
  const passed: string[] = []
  while (passed.length < 80 || performance.now() < end) {
    const here = await focused(page)
    if (name.test(here)) return
    passed.push(here.slice(0, 30))
    await page.keyboard.press(key)
  }
  assert.fail(`${name} is not reached: ${passed.slice(-80).join(' | ')}`)
}

/** Tabs to a button or link and presses Enter. */
export async function activate(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name)
  await page.keyboard.press('Enter')
}

/** Opens a page, and moves the focus past the sidebar with the link that the first Tab reaches. */
export async function openByKeyboard(page: Page, at: string): Promise<void> {
  await page.goto(at)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  await tabTo(page, /^Skip to content$/)
  await page.keyboard.press('Enter')
  await becomes(() => page.evaluate(() => document.activeElement?.id), 'main')
}

/** Opens the menu of a button and chooses an item with the arrow keys. */
export async function chooseFromMenu(page: Page, button: RegExp, item: RegExp): Promise<void> {
  await activate(page, button)
  await page.getByRole('menuitem', { name: item }).waitFor()
  await tabTo(page, item, 'ArrowDown')
  await page.keyboard.press('Enter')
}

/** Opens the list of a choice and chooses an option with the arrow keys. */
export async function chooseOption(page: Page, field: RegExp, option: string): Promise<void> {
  await activate(page, field)
  const wanted = page.getByRole('option', { name: option, exact: true })
  await wanted.waitFor()
  await untilFocusIn(page, '[role="listbox"]')
  await page.keyboard.press('Home')
  for (let step = 0; step < 40 && !(await wanted.evaluate((it) => it === document.activeElement)); step += 1)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await wanted.waitFor({ state: 'detached' })
}

/** Types into a field that completes, and takes the first suggestion. */
export async function complete(page: Page, field: RegExp, text: string, option: RegExp): Promise<void> {
  await tabTo(page, field)
  await page.keyboard.type(text)
  await page.getByRole('option', { name: option }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: option }).waitFor({ state: 'detached' })
}
