import { z } from 'zod'

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

/** The maximum lengths of a field's name and hint, in code points. */
export const MAX_FIELD_NAME_LENGTH = 40
export const MAX_HINT_LENGTH = 80

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
