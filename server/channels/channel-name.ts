import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'

export const channelNameEmpty = refusal('BAD_REQUEST', 400, "Channel name can't be empty.", { field: 'name' })
export const channelNameTooLong = refusal('BAD_REQUEST', 400, 'Channel name too long (limit: 60 characters).', {
  field: 'name',
})
export const channelNameCharacter = refusal(
  'BAD_REQUEST',
  400,
  'Invalid character in channel name, at position {position}.',
  { field: 'name' },
)

/** The maximum length of a channel name, in code points. */
export const MAX_CHANNEL_NAME_LENGTH = 60

const UNPRINTABLE = /^[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]$/u

/** Returns the name without surrounding white space. Refuses a name that no channel can have. */
export function requireChannelName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw channelNameEmpty()
  const characters = Array.from(name)
  if (characters.length > MAX_CHANNEL_NAME_LENGTH) throw channelNameTooLong()
  const position = characters.findIndex((character) => UNPRINTABLE.test(character)) + 1
  if (position > 0) throw channelNameCharacter({ position })
  return name
}

/** Returns the key by which names are compared. Names that differ only in case have the same key. */
export function channelNameKey(name: string): string {
  return name.toLowerCase()
}
