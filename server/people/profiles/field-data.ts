import { refusal } from '#lib/errors/refusal.ts'
import { defaultExternalAccounts } from './external-accounts.ts'
import { type FieldData, FieldType } from './field.ts'
import { isWebAddress } from './web-address.ts'

const noChoices = refusal('BAD_REQUEST', 400, 'Field must have at least one choice.', { field: 'field_data' })
const duplicateChoices = refusal('BAD_REQUEST', 400, 'Field must not have duplicate choices.', {
  field: 'field_data',
})
const choiceKeyBlank = refusal('BAD_REQUEST', 400, "'value' cannot be blank.", { field: 'field_data' })
const choiceNotADict = refusal('BAD_REQUEST', 400, 'field_data is not a dict', { field: 'field_data' })
const keyMissing = refusal('BAD_REQUEST', 400, '{key} key is missing from field_data', { field: 'field_data' })
const keyUnexpected = refusal('BAD_REQUEST', 400, 'Unexpected arguments: {keys}', { field: 'field_data' })
const dataNotAString = refusal('BAD_REQUEST', 400, 'field_data["{key}"] is not a string', {
  field: 'field_data',
})
const dataBlank = refusal('BAD_REQUEST', 400, 'field_data["{key}"] cannot be blank.', { field: 'field_data' })
const unknownAccountType = refusal('BAD_REQUEST', 400, 'Invalid external account type', { field: 'field_data' })
const patternMissing = refusal('BAD_REQUEST', 400, 'Custom external account must define URL pattern', {
  field: 'field_data',
})
const patternWithoutName = refusal('BAD_REQUEST', 400, "URL pattern must contain '%(username)s'.", {
  field: 'field_data',
})
const patternNotAUrl = refusal('BAD_REQUEST', 400, 'field_data["url_pattern"] is not a URL', {
  field: 'field_data',
})

const dataTooLong = refusal('BAD_REQUEST', 400, 'field_data is too long (limit: {limit} characters in a text)', {
  field: 'field_data',
})
const tooManyChoices = refusal('BAD_REQUEST', 400, 'Field can have at most {limit} choices.', {
  field: 'field_data',
})

/** The maximum number of choices of a field, and the maximum number of characters in a key or label of a choice. */
const MAX_CHOICES = 200
const MAX_TEXT_LENGTH = 100

export const fieldDataRefusals = [
  noChoices,
  duplicateChoices,
  choiceKeyBlank,
  choiceNotADict,
  keyMissing,
  keyUnexpected,
  dataNotAString,
  dataBlank,
  unknownAccountType,
  patternMissing,
  patternWithoutName,
  patternNotAUrl,
  dataTooLong,
  tooManyChoices,
]

/** The placeholder for the username in the URL pattern of an external account. */
const USERNAME_PLACEHOLDER = '%(username)s'

/** Returns the data for a field of this type; empty if the type needs none. Refuses invalid data. */
export function requireFieldData(type: FieldType, given: FieldData): FieldData {
  if (type === FieldType.choice) return requireChoices(given)
  return type === FieldType.externalAccount ? requireAccount(given) : {}
}

function requireChoices(given: FieldData): FieldData {
  const choices = Object.entries(given)
  if (choices.length === 0) throw noChoices()
  if (choices.length > MAX_CHOICES) throw tooManyChoices({ limit: MAX_CHOICES })
  const texts = new Set<string>()
  for (const [key, choice] of choices) {
    if (key.trim() === '') throw choiceKeyBlank()
    requireShortText(key)
    if (typeof choice === 'string') throw choiceNotADict()
    const text = requireText(choice, 'text')
    requireText(choice, 'order')
    requireKnownKeys(choice, ['text', 'order'])
    texts.add(text)
  }
  if (texts.size < choices.length) throw duplicateChoices()
  return given
}

function requireAccount(given: FieldData): FieldData {
  const subtype = requireText(given, 'subtype')
  const { url_pattern: pattern } = given
  if (pattern !== undefined) requirePattern(pattern)
  requireKnownKeys(given, ['subtype', 'url_pattern'])
  if (isDefaultAccount(given)) return { subtype }
  if (subtype !== 'custom') throw unknownAccountType()
  if (pattern === undefined) throw patternMissing()
  return given
}

/**
 * Returns whether the account is at a site that the server knows. The server then provides the name and the URL
 * pattern.
 */
export function isDefaultAccount({ subtype }: FieldData): boolean {
  return typeof subtype === 'string' && Object.hasOwn(defaultExternalAccounts, subtype)
}

function requirePattern(pattern: FieldData[string]): void {
  if (typeof pattern !== 'string') throw dataNotAString({ key: 'url_pattern' })
  if (pattern.split(USERNAME_PLACEHOLDER).length !== 2) throw patternWithoutName()
  if (!isWebAddress(pattern.replace(USERNAME_PLACEHOLDER, 'username'))) throw patternNotAUrl()
}

function requireText(given: FieldData, key: string): string {
  const text = given[key]
  if (text === undefined) throw keyMissing({ key })
  if (typeof text !== 'string') throw dataNotAString({ key })
  if (text.trim() === '') throw dataBlank({ key })
  requireShortText(text)
  return text
}

function requireShortText(text: string): void {
  if (text.length > MAX_TEXT_LENGTH) throw dataTooLong({ limit: MAX_TEXT_LENGTH })
}

function requireKnownKeys(given: FieldData, known: readonly string[]): void {
  const keys = Object.keys(given).filter((key) => !known.includes(key))
  if (keys.length > 0) throw keyUnexpected({ keys: keys.join(', ') })
}
