import { noSuchField } from '#accounts/change-profile.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { type FieldData, FieldType, MAX_IN_SUMMARY, type ProfileField } from '#people/profiles/field.ts'

export const fieldNameBlank = refusal('BAD_REQUEST', 400, 'Label cannot be blank.', { field: 'name' })
export const fieldNameTaken = refusal('BAD_REQUEST', 400, 'A field with that label already exists.', { field: 'name' })
export const invalidFieldType = refusal('BAD_REQUEST', 400, 'Invalid field type.', { field: 'field_type' })
export const notForSummary = refusal('BAD_REQUEST', 400, 'Field type not supported for display in profile summary.', {
  field: 'display_in_profile_summary',
})
export const summaryFull = refusal(
  'BAD_REQUEST',
  400,
  `Only ${MAX_IN_SUMMARY} custom profile fields can be displayed in the profile summary.`,
  { field: 'display_in_profile_summary' },
)
export const defaultFieldFixed = refusal('BAD_REQUEST', 400, 'Default custom field cannot be updated.')
export const incompleteFieldOrder = refusal('BAD_REQUEST', 400, 'Invalid order mapping.', { field: 'order' })

/** The properties of a field that administrators can set. */
export type FieldAttributes = Omit<ProfileField, 'id' | 'type' | 'position'>

/** The requested changes to a field. Undefined properties stay unchanged. */
export type FieldChanges = { [Name in keyof FieldAttributes]?: FieldAttributes[Name] | undefined }

/** Returns the field with this id, or refuses. */
export function requireField(current: readonly ProfileField[], id: number): ProfileField {
  const field = current.find((one) => one.id === id)
  if (field === undefined) throw noSuchField({ id })
  return field
}

/**
 * Refuses a field that has no name or the name of another field. Also refuses a field in the summary if the summary
 * does not support its type.
 */
export function requireValidField(
  { type, name, isInSummary }: Omit<ProfileField, 'id' | 'position'>,
  others: readonly ProfileField[],
): void {
  if (name === '') throw fieldNameBlank()
  if (isInSummary && (type === FieldType.longText || type === FieldType.people)) throw notForSummary()
  if (others.some((other) => other.name === name)) throw fieldNameTaken()
}

/** Refuses if the summary has no room for another field. */
export function requireRoomInSummary(others: readonly ProfileField[]): void {
  if (others.filter((other) => other.isInSummary).length >= MAX_IN_SUMMARY) throw summaryFull()
}

/** Refuses to change the name, hint or site of an external account at a known site. Unchanged values are accepted. */
export function requireSameAccount(field: ProfileField, { name, hint, data }: FieldChanges): void {
  const isSame =
    (name ?? field.name) === field.name &&
    (hint ?? field.hint) === field.hint &&
    isSameAccount(data ?? field.data, field.data)
  if (!isSame) throw defaultFieldFixed()
}

const isSameAccount = (one: FieldData, other: FieldData) =>
  one['subtype'] === other['subtype'] && Object.keys(one).length === Object.keys(other).length
