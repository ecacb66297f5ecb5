import { z } from 'zod'
import { refusal } from '#lib/errors.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { defineCache } from '#storage/cache.ts'
import { toStorableText } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { ProfileData, Profiles } from './user-json.ts'

// The custom profile fields of an organization: their types, the data that each type needs, their rows, and the values of
// users. Data that a client cannot show is refused before it is stored. A value is checked against the type of its field,
// and HTML is made of it only here, without mentions and links to channels.

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

const valueNotAString = refusal('BAD_REQUEST', 400, '{name} is not a string')
const valueTooLong = refusal('BAD_REQUEST', 400, '{name} is too long (limit: {limit} characters)')
const notADate = refusal('BAD_REQUEST', 400, '{name} is not a date')
const valueNotAUrl = refusal('BAD_REQUEST', 400, '{name} is not a URL')
const notAChoice = refusal('BAD_REQUEST', 400, "'{value}' is not a valid choice for '{name}'.")
const notAListOfPeople = refusal('BAD_REQUEST', 400, 'User IDs is not a list')
const notAPersonsId = refusal('BAD_REQUEST', 400, 'User IDs[{index}] is not an integer')

export const valueRefusals = [
  valueNotAString,
  valueTooLong,
  notADate,
  valueNotAUrl,
  notAChoice,
  notAListOfPeople,
  notAPersonsId,
]

/**
 * Returns the value in the form in which it is stored and returned. Refuses an invalid value. User ids are not looked
 * up.
 */
export function requireValue(field: ProfileField, given: unknown): string {
  if (field.type === FieldType.people) return JSON.stringify([...requireIds(given)])
  const { name } = field
  if (typeof given !== 'string') throw valueNotAString({ name })
  const value = toStorableText(given)
  switch (field.type) {
    case FieldType.choice:
      if (!Object.hasOwn(field.data, value)) throw notAChoice({ value, name })
      return value
    case FieldType.date:
      if (!isDate(value)) throw notADate({ name })
      return value
    case FieldType.link:
      if (!isWebAddress(value)) throw valueNotAUrl({ name })
      return value
    default: {
      const limit = field.type === FieldType.longText ? MAX_LENGTH.profileLongText : MAX_LENGTH.profileShortText
      if (Array.from(value).length > limit) throw valueTooLong({ name, limit })
      return value
    }
  }
}

/** Returns the user ids in the value of a people field. */
export function userIdsInValue(value: string): number[] {
  return JSON.parse(value) as number[]
}

function requireIds(given: unknown): Set<number> {
  if (!Array.isArray(given)) throw notAListOfPeople()
  const invalidIndex = given.findIndex((id) => !Number.isSafeInteger(id))
  if (invalidIndex !== -1) throw notAPersonsId({ index: invalidIndex })
  return new Set(given as number[])
}

/** Returns whether the text is a date of the form `2030-01-05`. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Returns the value as HTML; null for types without Markdown. Mentions and channel links stay plain text. */
export function renderValue({ type }: ProfileField, value: string, realmUrl: string): string | null {
  const isMarkdown = type === FieldType.shortText || type === FieldType.longText
  return isMarkdown ? renderMarkdown(value, { ...emptyScope, realmUrls: [realmUrl] }).html : null
}

type ProfileValue = { userId: number; fieldId: number; value: string; renderedValue: string | null }

/**
 * Returns the values of all users of the organization. If `userId` is not null, it returns only those of this user. If
 * the organization has no fields, it does not query the values.
 */
export async function findProfiles(db: Db, realmId: number, userId: number | null = null): Promise<Profiles> {
  if ((await findProfileFields(db, realmId)).length === 0) return new Map()
  const values = realmValues(db, realmId)
  return toProfiles(await (userId === null ? values : values.where('userId', '=', userId)).execute())
}

/** Returns the values of the organization's users with ids from `from` to before `below`. */
export async function findProfilesBetween(db: Db, realmId: number, from: number, below: number): Promise<Profiles> {
  if ((await findProfileFields(db, realmId)).length === 0) return new Map()
  return toProfiles(await realmValues(db, realmId).where('userId', '>=', from).where('userId', '<', below).execute())
}

const realmValues = (db: Db, realmId: number) =>
  db
    .selectFrom('profileValues')
    .innerJoin('profileFields', 'profileFields.id', 'fieldId')
    .select(['userId', 'fieldId', 'value', 'renderedValue'])
    .where('realmId', '=', realmId)

function toProfiles(values: readonly ProfileValue[]): Profiles {
  const profiles = new Map<number, ProfileData>()
  for (const { userId, fieldId, value, renderedValue } of values) {
    const profile = profiles.get(userId) ?? {}
    profile[fieldId] = { value, ...(renderedValue !== null && { rendered_value: renderedValue }) }
    profiles.set(userId, profile)
  }
  return profiles
}

/** Returns the user's value for the field; null if there is none. */
export async function findProfileValue(db: Db, userId: number, fieldId: number): Promise<string | null> {
  const row = await db
    .selectFrom('profileValues')
    .select('value')
    .where('userId', '=', userId)
    .where('fieldId', '=', fieldId)
    .executeTakeFirst()
  return row?.value ?? null
}

export async function saveProfileValue(tx: Transaction, given: ProfileValue): Promise<void> {
  const { value, renderedValue } = given
  await tx
    .insertInto('profileValues')
    .values(given)
    .onConflict((on) => on.columns(['userId', 'fieldId']).doUpdateSet({ value, renderedValue }))
    .returning('userId')
    .execute()
}

/** Deletes the user's value for the field. Returns false if there was none. */
export async function deleteProfileValue(tx: Transaction, userId: number, fieldId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('profileValues')
    .where('userId', '=', userId)
    .where('fieldId', '=', fieldId)
    .returning('userId')
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes users' values for the field that are among `values`. Returns the ids of these users in ascending order. */
export async function deleteProfileValues(
  tx: Transaction,
  fieldId: number,
  values: readonly string[],
): Promise<number[]> {
  if (values.length === 0) return []
  const rows = await tx
    .deleteFrom('profileValues')
    .where('fieldId', '=', fieldId)
    .where('value', 'in', values)
    .returning('userId')
    .execute()
  return rows.map((row) => row.userId).sort((one, other) => one - other)
}
