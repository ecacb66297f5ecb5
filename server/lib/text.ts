import { createRequire } from 'node:module'
import type { IntlMessageFormat } from 'intl-messageformat'
import { type Html, html } from './html.ts'

// The strings of emails and pages, which can be translated, and the whitespace around what users enter. Messages are
// literals in the ICU format, so that a tool can collect them. Values in HTML are escaped.

const load = createRequire(import.meta.url)

const formats = new Map<string, IntlMessageFormat>()

/**
 * Returns the format of a message. `intl-messageformat` is loaded for the first message with values, and each message
 * is parsed only once.
 */
function formatOf(message: string): IntlMessageFormat {
  const known = formats.get(message)
  if (known !== undefined) return known
  const icu: typeof import('intl-messageformat') = load('intl-messageformat')
  const format = new icu.IntlMessageFormat(message, 'en')
  formats.set(message, format)
  return format
}

/**
 * Returns a string for an email or a page. The message is English in the ICU format, with plurals: `t('{count, plural,
 * one {# message} other {# messages}}', { count })`. It must be a literal, so that translators can be given all
 * messages.
 */
export function t(message: string, values?: Readonly<Record<string, string | number>>): string {
  return /[{<]/.test(message) ? (formatOf(message).format(values) as string) : message
}

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

/**
 * Whitespace around names, addresses and similar values, as the reference server defines it. Unlike JavaScript's
 * `trim`, it includes the separators U+001C to U+001F and U+0085, and excludes the byte order mark.
 */
const BLANK = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

/** Removes whitespace from both ends in linear time. */
export function trimWhitespace(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && BLANK.test(text.charAt(start))) start += 1
  while (end > start && BLANK.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}
