import { refusal } from '#lib/errors/refusal.ts'

export const messageEmpty = refusal('BAD_REQUEST', 400, 'Message must not be empty', { field: 'content' })
export const messageContainsNull = refusal('BAD_REQUEST', 400, 'Message must not contain null bytes', {
  field: 'content',
})

/** The maximum length of a message, in code points. */
export const MAX_MESSAGE_LENGTH = 10_000

const TRUNCATION_MARK = '\n[message truncated]'

/** Returns the content in the form in which it is stored. Refuses empty content. */
export function requireContent(given: string): string {
  const content = normalizeContent(given)
  if (content === '') throw messageEmpty()
  return content
}

/** Like `requireContent`, but empty content becomes "(deleted)". */
export function requireEditedContent(given: string): string {
  return normalizeContent(given) || '(deleted)'
}

/** Removes trailing white space and leading empty lines, and truncates the content. */
export function normalizeContent(given: string): string {
  if (given.includes('\0')) throw messageContainsNull()
  return truncateContent(given.trimEnd().replace(/^\n+/, ''))
}

function truncateContent(content: string): string {
  if (content.length <= MAX_MESSAGE_LENGTH) return content
  const characters = Array.from(content)
  if (characters.length <= MAX_MESSAGE_LENGTH) return content
  return characters.slice(0, MAX_MESSAGE_LENGTH - TRUNCATION_MARK.length).join('') + TRUNCATION_MARK
}
