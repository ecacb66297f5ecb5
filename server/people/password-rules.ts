import { createRequire } from 'node:module'
import type { Settings } from '#config.ts'
import { refusal } from '#lib/errors.ts'

// The rules for new passwords: their length, and that they are neither the user's address nor easy to guess. Easy to
// guess are common passwords, sequences, and names of the program and the organization, also with some digits or signs
// around them. A long password that merely contains a common one is accepted.

const passwordTooShort = refusal('BAD_REQUEST', 400, 'The password must have at least {min} characters.', {
  field: 'new_password',
})
const passwordTooLong = refusal('BAD_REQUEST', 400, 'The password can have at most {max} characters.', {
  field: 'new_password',
})
const passwordIsAddress = refusal('BAD_REQUEST', 400, 'The password cannot be the email address.', {
  field: 'new_password',
})
const passwordTooCommon = refusal('BAD_REQUEST', 400, 'This password is too easy to guess.', {
  field: 'new_password',
})

/** The refusal if the queue for password hashing is full. */
export const tooManyPasswords = refusal('RATE_LIMIT_HIT', 429, 'API usage exceeded rate limit', {
  extras: () => ({
    'retry-after': 2,
  }),
})

export const passwordRefusals = [
  passwordTooShort,
  passwordTooLong,
  passwordIsAddress,
  passwordTooCommon,
  tooManyPasswords,
]

export const MIN_PASSWORD_LENGTH = 8
export const MAX_PASSWORD_LENGTH = 100

type PasswordPolicy = Pick<Settings, 'ALLOW_WEAK_PASSWORDS'>

export const minPasswordLength = ({ ALLOW_WEAK_PASSWORDS }: PasswordPolicy): number =>
  ALLOW_WEAK_PASSWORDS ? 1 : MIN_PASSWORD_LENGTH

/** Refuses an unsafe password. Lengths are in characters, not bytes. */
export function requireUsablePassword(
  password: string,
  { email, organization }: { email: string; organization: string },
  policy: PasswordPolicy,
): void {
  const length = [...password].length
  const min = minPasswordLength(policy)
  if (length < min) throw passwordTooShort({ min })
  if (length > MAX_PASSWORD_LENGTH) throw passwordTooLong({ max: MAX_PASSWORD_LENGTH })
  if (policy.ALLOW_WEAK_PASSWORDS) return
  if (password.toLowerCase() === email.toLowerCase()) throw passwordIsAddress()
  if (isCommonPassword(password, `${organization} ${email}`)) throw passwordTooCommon()
}

/**
 * Common passwords that the list below hardly covers, mostly in other languages. They are also refused with other
 * characters around them.
 */
const STEMS =
  'passw0rd p@ssw0rd p@ssword contraseña qwertz qwertzuiop willkommen zxcvbnm 1q2w3e4r 1q2w3e4r5t changeme trustno1'

/**
 * The number of passwords from the list that are also refused with other characters around them. They are the most
 * common ones.
 */
const MAX_STEMS = 10_000

/**
 * The maximum number of characters around a common password for which it is refused. More of them make the password
 * strong enough.
 */
const MAX_ADDITION = 8

const PRODUCT = 'parley'

/** The minimum number of characters of a word in an organization's name that counts as a known name. */
const MIN_NAME_LENGTH = 3

type CommonPasswords = { all: ReadonlySet<string>; stems: ReadonlySet<string> }

let loaded: CommonPasswords | undefined

/**
 * Returns the 49,000 most common leaked passwords, from the package. They are loaded when the first password is set.
 */
function commonPasswords(): CommonPasswords {
  if (loaded !== undefined) return loaded
  const load = createRequire(import.meta.url)
  const { dictionary } = load('@zxcvbn-ts/language-common') as typeof import('@zxcvbn-ts/language-common')
  const list = dictionary['passwords-common'] as readonly string[]
  loaded = { all: new Set(list), stems: new Set([...STEMS.split(' '), ...list.slice(0, MAX_STEMS)]) }
  return loaded
}

/**
 * Returns whether a password is easy to guess: a common password, alone, twice, or with digits and signs around it; a
 * sequence, or a repetition. Also returns true if it consists of this program's name and the words of `names`: the
 * organization and the email address.
 */
export function isCommonPassword(password: string, names = ''): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const { all, stems } = commonPasswords()
  const words = [text, text.replace(/[^\p{L}]+$/u, ''), text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')]
  const isStem = (word: string) => stems.has(word) && lengthOf(text) - lengthOf(word) <= MAX_ADDITION
  const half = /^(.{4,})\1$/u.exec(text.replace(/[^\p{L}]+$/u, ''))?.[1] ?? /^(.{4,})\1$/u.exec(text)?.[1]
  if (all.has(text) || words.some(isStem) || (half !== undefined && all.has(half))) return true
  return isMadeOfNames(text, names) || /^(.{1,3})\1+$/u.test(text) || isRun(text)
}

const lengthOf = (text: string) => Array.from(text).length

/** Returns whether the text consists only of known names, digits and signs. */
function isMadeOfNames(text: string, given: string): boolean {
  const letters = text.replace(/[^\p{L}]/gu, '')
  if (letters === '' || lengthOf(text) - lengthOf(letters) > MAX_ADDITION) return false
  const names = given
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
  const allNames = [PRODUCT, ...names.filter((name) => lengthOf(name) >= MIN_NAME_LENGTH), names.join('')]
  const longestFirst = allNames.filter((name) => name !== '').sort((one, other) => other.length - one.length)
  return longestFirst.reduce((rest, name) => rest.replaceAll(name, ''), letters) === ''
}

/**
 * Returns whether the characters form an ascending or descending sequence, such as `12345678` or `hgfedcba`. 0 may
 * follow 9.
 */
function isRun(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const steps = new Set(
    codes.slice(1).map((code, at) => (code === 0x30 && codes[at] === 0x39 ? 1 : code - (codes[at] ?? 0))),
  )
  const [step] = steps
  return steps.size === 1 && (step === 1 || step === -1)
}
