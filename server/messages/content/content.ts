import { refusal } from '../../platform/errors/refusal.ts'

export const messageEmpty = refusal('BAD_REQUEST', 400, 'Message must not be empty')
export const messageHoldsNull = refusal('BAD_REQUEST', 400, 'Message must not contain null bytes')

/** In code points. */
export const MAX_MESSAGE_LENGTH = 10_000

const CUT_MARK = '\n[message truncated]'

/** The text as it is stored; refused when nothing is left of it. */
export function requireContent(given: string): string {
  const content = normalizeContent(given)
  if (content === '') throw messageEmpty()
  return content
}

/** What an edited text becomes: one that is emptied says that it was. */
export function requireEditedContent(given: string): string {
  return normalizeContent(given) || '(deleted)'
}

/** The text without white space at its end and empty lines at its start, cut to length. */
export function normalizeContent(given: string): string {
  if (given.includes('\0')) throw messageHoldsNull()
  return cutContent(given.trimEnd().replace(/^\n+/, ''))
}

function cutContent(content: string): string {
  if (content.length <= MAX_MESSAGE_LENGTH) return content
  const characters = Array.from(content)
  if (characters.length <= MAX_MESSAGE_LENGTH) return content
  return characters.slice(0, MAX_MESSAGE_LENGTH - CUT_MARK.length).join('') + CUT_MARK
}
