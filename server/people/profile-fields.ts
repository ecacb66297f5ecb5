import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The custom profile fields of an organization: their types, the data that each type needs, and their rows. Data that
// a client cannot show is refused before it is stored.

/** The types of profile fields, with their numbers in the API. */
export const FieldType = {
  shortText: 1,
  longText: 2,
  choice: 3,
  date: 4,
  link: 5,
  people: 6,
  externalAccount: 7,
  pronouns: 8,
} as const

export type FieldType = (typeof FieldType)[keyof typeof FieldType]

export function isFieldType(number: number): number is FieldType {
  return Object.values<number>(FieldType).includes(number)
}

/**
 * The data of a field: choices by key, each with `text` and `order`, or the `subtype` and `url_pattern` of an external
 * account.
 */
export type FieldData = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** A custom profile field of an organization. */
export type ProfileField = {
  id: number
  name: string
  type: FieldType
  hint: string
  /** Empty for types without data. */
  data: FieldData
  position: number
  /** Shows the field in the summary of a profile. */
  isInSummary: boolean
  /** Makes clients remind users who have no value for the field. */
  isRequired: boolean
  /** Lets users change their own value. If false, only administrators can. */
  isEditable: boolean
}

/** The maximum number of fields in the summary of a profile. */
export const MAX_IN_SUMMARY = 2

function hasData({ type }: Pick<ProfileField, 'type'>): boolean {
  return type === FieldType.choice || type === FieldType.externalAccount
}

export const profileFieldJson = z.strictObject({
  id: z.int(),
  name: z.string(),
  type: z.int(),
  hint: z.string(),
  field_data: z.string().describe('JSON for choices and external accounts, else empty.'),
  order: z.int(),
  required: z.boolean(),
  editable_by_user: z.boolean(),
  display_in_profile_summary: z.literal(true).optional(),
})

type ProfileFieldJson = z.infer<typeof profileFieldJson>

export function toProfileFieldJson(field: ProfileField): ProfileFieldJson {
  return {
    id: field.id,
    name: field.name,
    type: field.type,
    hint: field.hint,
    field_data: hasData(field) ? JSON.stringify(field.data) : '',
    order: field.position,
    required: field.isRequired,
    editable_by_user: field.isEditable,
    ...(field.isInSummary && { display_in_profile_summary: true as const }),
  }
}

/** The sites for which every organization can add a profile field with accounts there. */
export const defaultExternalAccounts: Readonly<Record<string, z.infer<typeof externalAccountJson>>> = {
  twitter: {
    text: 'Twitter',
    name: 'Twitter username',
    hint: '',
    url_pattern: 'https://twitter.com/%(username)s',
  },
  github: {
    text: 'GitHub',
    name: 'GitHub username',
    hint: '',
    url_pattern: 'https://github.com/%(username)s',
  },
}

export const externalAccountJson = z.strictObject({
  text: z.string(),
  name: z.string(),
  hint: z.string(),
  url_pattern: z.string(),
})

/** Returns whether the text is a complete HTTP or FTP URL. */
export function isWebAddress(text: string): boolean {
  if (text.length > MAX_CHARACTERS || !/^(?:https?|ftps?):\/\/[^\s\p{Cc}]+$/iu.test(text)) return false
  const url = URL.parse(text)
  return url !== null && HOST.test(url.hostname)
}

const MAX_CHARACTERS = 2048

/** Matches a host: a name with a dot, `localhost`, or an IPv4 or IPv6 address. */
const HOST = /^(?:localhost|\[[\da-f:.]+\]|[^.]+(?:\.[^.]+)+\.?)$/i

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

const fieldsOfRealm = defineCache<number, readonly ProfileField[]>({
  dependsOn: ['profileFields'],
  limit: 1000,
  load: async (db, realmId) => (await fieldRows(db, realmId).orderBy('position').orderBy('id').execute()).map(toField),
})

/** Returns the organization's fields, ordered by position. */
export function findProfileFields(db: Db, realmId: number): readonly ProfileField[] | Promise<readonly ProfileField[]> {
  return fieldsOfRealm.get(db, realmId)
}

/** Returns the organization's current fields, ordered by position, and locks them until the transaction ends. */
export async function lockProfileFields(tx: Transaction, realmId: number): Promise<ProfileField[]> {
  // Every transaction locks the fields ordered by id, which prevents deadlocks.
  const rows = await fieldRows(tx.db, realmId).orderBy('id').forNoKeyUpdate().execute()
  return rows.map(toField).sort((one, other) => one.position - other.position)
}

const fieldRows = (db: Db, realmId: number) => db.selectFrom('profileFields').selectAll().where('realmId', '=', realmId)

type FieldRow = Awaited<ReturnType<ReturnType<typeof fieldRows>['execute']>>[number]

const toField = ({ realmId: _, ...row }: FieldRow): ProfileField => ({
  ...row,
  type: row.type as FieldType,
  data: JSON.parse(row.data) as FieldData,
  isInSummary: row.isInSummary === 1,
  isRequired: row.isRequired === 1,
  isEditable: row.isEditable === 1,
})

export type ProfileFieldAttributes = Omit<ProfileField, 'id' | 'type' | 'position'>

const toRow = ({ data, isInSummary, isRequired, isEditable, ...texts }: ProfileFieldAttributes) =>
  ({
    ...texts,
    data: JSON.stringify(data),
    isInSummary: isInSummary ? 1 : 0,
    isRequired: isRequired ? 1 : 0,
    isEditable: isEditable ? 1 : 0,
  }) as const

/** Adds a field after all others. Returns its id. */
export async function saveProfileField(
  tx: Transaction,
  realmId: number,
  { type, ...field }: ProfileFieldAttributes & Pick<ProfileField, 'type'>,
): Promise<number> {
  const { id } = await tx
    .insertInto('profileFields')
    .values({ realmId, type, position: 0, ...toRow(field) })
    .returning('id')
    .executeTakeFirstOrThrow()
  // The id is a valid last position, because positions that administrators set are less than the number of fields.
  await saveFieldPosition(tx, id, id)
  return id
}

export async function saveProfileFieldAttributes(
  tx: Transaction,
  id: number,
  field: ProfileFieldAttributes,
): Promise<void> {
  await tx.updateTable('profileFields').set(toRow(field)).where('id', '=', id).execute()
}

export async function saveFieldPosition(tx: Transaction, id: number, position: number): Promise<void> {
  await tx.updateTable('profileFields').set({ position }).where('id', '=', id).execute()
}

/** Deletes the field and all of its values. */
export async function deleteProfileField(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('profileFields').where('id', '=', id).execute()
}
