import { refusal } from '#lib/errors/refusal.ts'

/** The maximum length of an emoji name, in characters. */
const MAX_NAME_LENGTH = 100

const emojiNameMissing = refusal('BAD_REQUEST', 400, 'Emoji name is missing', { field: 'emoji_name' })
const emojiNameTooLong = refusal('BAD_REQUEST', 400, `Emoji name is too long (limit: ${MAX_NAME_LENGTH} characters)`, {
  field: 'emoji_name',
})
const emojiNameCharacters = refusal(
  'BAD_REQUEST',
  400,
  'Emoji names must contain only lowercase English letters, digits, spaces, dashes, underscores, and periods.',
  { field: 'emoji_name' },
)
const emojiNameEnd = refusal('BAD_REQUEST', 400, 'Emoji names must end with either a letter or digit.', {
  field: 'emoji_name',
})

export const emojiNameRefusals = [emojiNameMissing, emojiNameTooLong, emojiNameCharacters, emojiNameEnd]

/** Returns the name as users write it between colons, with underscores instead of spaces. Refuses an invalid name. */
export function requireEmojiName(given: string): string {
  const name = given.trim().replaceAll(' ', '_')
  if (name === '') throw emojiNameMissing()
  if (name.length > MAX_NAME_LENGTH) throw emojiNameTooLong()
  if (!/^[0-9a-z._-]+$/.test(name)) throw emojiNameCharacters()
  if (!/[0-9a-z]$/.test(name)) throw emojiNameEnd()
  return name
}
