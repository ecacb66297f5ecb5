import { createRequire } from 'node:module'
import type { IntlMessageFormat } from 'intl-messageformat'

const load = createRequire(import.meta.url)

const formats = new Map<string, IntlMessageFormat>()

/**
 * Returns the format of a message. `intl-messageformat` is loaded for the first message with values, and each message
 * is parsed only once.
 */
export function formatOf(message: string): IntlMessageFormat {
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
