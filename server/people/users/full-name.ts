import { stripBlanks } from '../../platform/encoding/strip-blanks.ts'
import { refusal } from '../../platform/errors/refusal.ts'

export const nameTooShort = refusal('BAD_REQUEST', 400, 'Name too short!')
export const nameTooLong = refusal('BAD_REQUEST', 400, 'Name too long!')
export const nameCharacters = refusal('BAD_REQUEST', 400, 'Invalid characters in name!')
export const nameFormat = refusal('BAD_REQUEST', 400, 'Invalid format!')

export const fullNameRefusals = [nameTooShort, nameTooLong, nameCharacters, nameFormat]

/** In code points. */
const MAX_NAME_LENGTH = 100

/** What mentions are written with, and what nobody can see or type. */
const FORBIDDEN = /[*`\\"@\p{C}]/u

/** The name without white space around it; refused when nobody can be called so. */
export function requireFullName(given: string): string {
  const name = stripBlanks(given)
  if (name === '') throw nameTooShort()
  if (Array.from(name).length > MAX_NAME_LENGTH) throw nameTooLong()
  if (FORBIDDEN.test(name)) throw nameCharacters()
  // A name that ends like `|17` would be read as the mention of another account.
  if (/\|\d+$/.test(name)) throw nameFormat()
  return name
}
