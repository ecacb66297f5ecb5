import { MAX_MESSAGE_LENGTH } from '#rules/limits.ts'
import { t } from '../../text/t.ts'
/**
 * Returns the length in Unicode code points, as the server counts it. The length of a short text is in UTF-16 units,
 * which can only be greater.
 */
export const lengthOf = (text: string): number =>
  text.length > MAX_MESSAGE_LENGTH * 0.8 ? Array.from(text).length : text.length

/** Returns the error of a message text; null if it is valid. */
export function messageTextError(text: string): string | null {
  return text.trim() === '' ? t('Write a message first.') : lengthError(text)
}

/** Returns the error of a text that is too long; null if it is not. */
export function lengthError(text: string): string | null {
  const length = lengthOf(text)
  return length > MAX_MESSAGE_LENGTH
    ? t('The message is too long: {count, number} of {max, number} characters.', {
        count: length,
        max: MAX_MESSAGE_LENGTH,
      })
    : null
}
