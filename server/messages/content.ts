import { refusal } from '../base/refusal.ts'

export const messageEmpty = refusal('BAD_REQUEST', 400, 'Message must not be empty')
export const messageHoldsNull = refusal('BAD_REQUEST', 400, 'Message must not contain null bytes')

/** In code points. */
export const MAX_MESSAGE_LENGTH = 10_000

const CUT_MARK = '\n[message truncated]'

/** The text as it is stored: without white space at its end and empty lines at its start, and cut to length. */
export function requireContent(given: string): string {
  const content = trimContent(given)
  if (content === '') throw messageEmpty()
  return cutContent(content)
}

/** What an edited text becomes: as `requireContent`, but a text that is emptied says that it was. */
export function requireEditedContent(given: string): string {
  return cutContent(trimContent(given) || '(deleted)')
}

function trimContent(given: string): string {
  if (given.includes('\0')) throw messageHoldsNull()
  return given.trimEnd().replace(/^\n+/, '')
}

function cutContent(content: string): string {
  if (content.length <= MAX_MESSAGE_LENGTH) return content
  const characters = Array.from(content)
  if (characters.length <= MAX_MESSAGE_LENGTH) return content
  return characters.slice(0, MAX_MESSAGE_LENGTH - CUT_MARK.length).join('') + CUT_MARK
}
