import { z } from 'zod'
import { noSuchField } from '#accounts/change-profile.ts'
import { endpoint } from '#http/endpoint.ts'
import {
  type FieldData,
  FieldType,
  MAX_FIELD_NAME_LENGTH,
  MAX_HINT_LENGTH,
  profileFieldJson,
  toProfileFieldJson,
} from '#people/profiles/field.ts'
import { fieldDataRefusals } from '#people/profiles/field-data.ts'
import { findProfileFields } from '#people/profiles/field-queries.ts'
import { mustBeAdministrator } from '#people/users/access.ts'
import { limitedText, trimmedText } from '#realms/settings.ts'
import * as fields from '../change-profile-fields.ts'
import * as rules from '../profile-field-rules.ts'

const name = trimmedText(MAX_FIELD_NAME_LENGTH)
const hint = limitedText(MAX_HINT_LENGTH)
const fieldData = z
  .record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]))
  .describe(
    'Choices by key: `{"vim": {"text": "Vim", "order": "1"}}`. For external accounts: `{"subtype": "github"}` ' +
      'or `{"subtype": "custom", "url_pattern": "https://example.com/%(username)s"}`.',
  )

const flags = {
  display_in_profile_summary: z.boolean().describe('Whether the field is shown in the summary of a profile.'),
  required: z.boolean().describe('Whether clients remind users who have no value.'),
  editable_by_user: z.boolean().describe('Whether users can change their own value. If not, only administrators can.'),
}

type FieldParams = {
  name: string
  hint: string
  field_data: FieldData
  display_in_profile_summary: boolean
  required: boolean
  editable_by_user: boolean
}

type FieldChangeParams = { [Name in keyof FieldParams]?: FieldParams[Name] | undefined }

function toAttributes(given: FieldParams): rules.FieldAttributes
function toAttributes(given: FieldChangeParams): rules.FieldChanges
function toAttributes(given: FieldChangeParams): rules.FieldChanges {
  return {
    name: given.name,
    hint: given.hint,
    data: given.field_data,
    isInSummary: given.display_in_profile_summary,
    isRequired: given.required,
    isEditable: given.editable_by_user,
  }
}

const fieldRefusals = [
  mustBeAdministrator,
  rules.fieldNameBlank,
  rules.fieldNameTaken,
  rules.notForSummary,
  rules.summaryFull,
  ...fieldDataRefusals,
]

export const listProfileFields = endpoint({
  route: 'GET /realm/profile_fields',
  summary: 'List custom profile fields',
  who: 'user',
  returns: { custom_fields: z.array(profileFieldJson) },
  async handle({ db, actor }) {
    return { custom_fields: (await findProfileFields(db, actor.realmId)).map(toProfileFieldJson) }
  },
})

export const orderProfileFieldsEndpoint = endpoint({
  route: 'PATCH /realm/profile_fields',
  summary: 'Reorder custom profile fields',
  who: 'user',
  params: { order: z.array(z.int()).describe('The ids of all fields.') },
  refuses: [mustBeAdministrator, rules.incompleteFieldOrder],
  async handle({ transaction, actor }, { order }) {
    await transaction((tx) => fields.orderProfileFields(tx, actor, order))
    return {}
  },
})

export const addProfileFieldEndpoint = endpoint({
  route: 'POST /realm/profile_fields',
  summary: 'Add a custom profile field',
  who: 'user',
  params: {
    name: name.default(''),
    hint: hint.default(''),
    field_type: z.int().describe(
      Object.entries(FieldType)
        .map(([kind, number]) => `${number}: ${kind}`)
        .join(', '),
    ),
    field_data: fieldData.default({}),
    display_in_profile_summary: flags.display_in_profile_summary.default(false),
    required: flags.required.default(false),
    editable_by_user: flags.editable_by_user.default(true),
  },
  returns: { id: z.int() },
  refuses: [rules.invalidFieldType, ...fieldRefusals],
  async handle({ transaction, actor }, given) {
    const field = { type: given.field_type, ...toAttributes(given) }
    return { id: await transaction((tx) => fields.addProfileField(tx, actor, field)) }
  },
})

export const changeProfileFieldEndpoint = endpoint({
  route: 'PATCH /realm/profile_fields/{field_id}',
  summary: 'Change a custom profile field',
  description: 'Omitted properties stay unchanged. Values of removed choices are deleted.',
  who: 'user',
  params: {
    name: name.optional(),
    hint: hint.optional(),
    field_data: fieldData.optional(),
    display_in_profile_summary: flags.display_in_profile_summary.optional(),
    required: flags.required.optional(),
    editable_by_user: flags.editable_by_user.optional(),
  },
  refuses: [noSuchField, rules.defaultFieldFixed, ...fieldRefusals],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => fields.changeProfileField(tx, actor, given.field_id, toAttributes(given)))
    return {}
  },
})

export const removeProfileFieldEndpoint = endpoint({
  route: 'DELETE /realm/profile_fields/{field_id}',
  summary: 'Remove a custom profile field with all of its values',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchField],
  async handle({ transaction, actor }, { field_id }) {
    await transaction((tx) => fields.removeProfileField(tx, actor, field_id))
    return {}
  },
})
