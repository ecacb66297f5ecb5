import { t } from '../../text/t.ts'
/** The longest message, in characters; what is longer the server would cut. */
export const MAX_LENGTH = 10_000

/** As the server counts: what stands outside the first 65,536 characters of Unicode is one, too. */
export const lengthOf = (text: string): number =>
  text.length > MAX_LENGTH * 0.8 ? Array.from(text).length : text.length

/** What is wrong with the text of a message; null for nothing. */
export function messageTextError(text: string): string | null {
  if (text.trim() === '') return t('Write a message first.')
  const length = lengthOf(text)
  return length > MAX_LENGTH
    ? t('That is too long: {count} of {max} characters.', { count: length, max: MAX_LENGTH })
    : null
}

/** What was typed on while the message was under way. */
export const textAfterSending = (text: string, sent: string): string =>
  text.startsWith(sent) ? text.slice(sent.length).trimStart() : text

/** The text with a link to a file on a line of its own behind it. */
export function withFile(text: string, name: string, url: string): string {
  const link = `[${name.replaceAll(/[[\]\\]/g, '') || 'file'}](${url})`
  if (text === '' || text.endsWith('\n')) return text + link
  return `${text}\n${link}`
}
