import { trimWhitespace } from '../platform/encoding/trim-whitespace.ts'
import { refusal } from '../platform/errors/refusal.ts'

export const channelNameEmpty = refusal('BAD_REQUEST', 400, "Channel name can't be empty.")
export const channelNameTooLong = refusal('BAD_REQUEST', 400, 'Channel name too long (limit: 60 characters).')
export const channelNameCharacter = refusal(
  'BAD_REQUEST',
  400,
  'Invalid character in channel name, at position {position}.',
)

/** In code points. */
export const MAX_CHANNEL_NAME_LENGTH = 60

const UNPRINTABLE = /^[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]$/u

/** The name without white space around it; refused when it could not be any channel's. */
export function requireChannelName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw channelNameEmpty()
  const characters = Array.from(name)
  if (characters.length > MAX_CHANNEL_NAME_LENGTH) throw channelNameTooLong()
  const position = characters.findIndex((character) => UNPRINTABLE.test(character)) + 1
  if (position > 0) throw channelNameCharacter({ position })
  return name
}

/** What names are compared by: names that differ in case alone are one. */
export function channelNameKey(name: string): string {
  return name.toLowerCase()
}
