import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'

const nameTooShort = refusal('BAD_REQUEST', 400, 'Name too short!', { field: 'full_name' })
const nameTooLong = refusal('BAD_REQUEST', 400, 'Name too long!', { field: 'full_name' })
const nameCharacters = refusal('BAD_REQUEST', 400, 'Invalid characters in name!', { field: 'full_name' })
const nameFormat = refusal('BAD_REQUEST', 400, 'Invalid format!', { field: 'full_name' })

export const fullNameRefusals = [nameTooShort, nameTooLong, nameCharacters, nameFormat]

/** The maximum length of a name, in code points. */
const MAX_NAME_LENGTH = 100

/** The characters that names cannot contain: those that delimit mentions, and invisible ones. */
const FORBIDDEN = /[*`\\"@\p{C}]/u

/** Returns the name without surrounding white space. Refuses an invalid name. */
export function requireFullName(given: string): string {
  const name = trimWhitespace(given)
  if (name === '') throw nameTooShort()
  if (Array.from(name).length > MAX_NAME_LENGTH) throw nameTooLong()
  if (FORBIDDEN.test(name)) throw nameCharacters()
  // A name such as `Ada|17` would be read as a mention of another account.
  if (/\|\d+$/.test(name)) throw nameFormat()
  return name
}
