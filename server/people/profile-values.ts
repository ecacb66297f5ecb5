import { refusal } from '#lib/errors.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { toStorableText } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { FieldType, findProfileFields, isWebAddress, type ProfileField } from './profile-fields.ts'
import type { ProfileData, Profiles } from './user-json.ts'

// The values of custom profile fields. A value is checked against the type of its field before it is stored, and HTML
// is made only here, without mentions and links to channels.

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
