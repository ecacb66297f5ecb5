import type { Page } from 'playwright-core'
import type { Person } from '../harness.ts'
import { becomes } from './becomes.ts'

/** The text field of the compose box. */
export const box = (page: Page) => page.locator('.composer textarea')

export const placeholder = (page: Page) => box(page).getAttribute('placeholder')

export const title = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()

/** The message that contains the text. */
export const row = (page: Page, text: string) => page.locator('[data-message]', { hasText: text })

/** The field for the people who receive a message. */
export const to = (page: Page) => page.getByRole('combobox', { name: 'To', exact: true })

/** Waits until the field with that name has the focus. */
export const hasFocus = (page: Page, name: string) =>
  becomes(() => page.evaluate(() => document.activeElement?.getAttribute('name') ?? null), name)

/** Returns the newest message of a person: its recipients, topic and content. */
export async function newestOf(person: Person) {
  const { messages } = await person.succeed('GET /messages', { anchor: 'newest', num_before: 1, num_after: 0 })
  const { display_recipient: to, subject, content } = messages[0]
  return {
    to: typeof to === 'string' ? to : to.map(({ full_name }: { full_name: string }) => full_name),
    subject,
    content,
  }
}
