import { type Html, html } from '../encoding/html.ts'
import { formatOf } from './t.ts'

type RichValue = string | number | Html | ((content: Html) => Html)

/**
 * Returns a message with elements in it; values are escaped. A tag of the message names the function that makes its
 * element: `rich('Read <a>the guide</a>.', { a: (content) => html`<a href="/guide">${content}</a>` })`.
 */
export function rich(message: string, values: Readonly<Record<string, RichValue>>): Html {
  const parts = formatOf(message).format<Html>(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'function' ? element(value) : value]),
    ),
  )
  return html`${parts}`
}

const element = (make: (content: Html) => Html) => (parts: (string | Html)[]) => make(html`${parts}`)

/** Makes the element of a tag that emphasizes a value. */
export const bold = (content: Html): Html => html`<b>${content}</b>`

/** Returns a function that makes the link of a tag. */
export const linkTo =
  (path: string) =>
  (content: Html): Html =>
    html`<a href="${path}">${content}</a>`
