import { t } from '../../text/t.ts'
/** The maximum length of a message, in characters. The server truncates longer messages. */
export const MAX_LENGTH = 10_000

/**
 * Returns the length in Unicode code points, as the server counts it. The length of a short text is in UTF-16 units,
 * which can only be greater.
 */
export const lengthOf = (text: string): number =>
  text.length > MAX_LENGTH * 0.8 ? Array.from(text).length : text.length

/** Returns the error of a message text; null if it is valid. */
export function messageTextError(text: string): string | null {
  if (text.trim() === '') return t('Write a message first.')
  const length = lengthOf(text)
  return length > MAX_LENGTH
    ? t('The message is too long: {count} of {max} characters.', { count: length, max: MAX_LENGTH })
    : null
}

/** Appends a link to a file on its own line. */
export function withFile(text: string, name: string, url: string): string {
  const link = `[${name.replaceAll(/[[\]\\]/g, '') || 'file'}](${url})`
  if (text === '' || text.endsWith('\n')) return text + link
  return `${text}\n${link}`
}
