import { z } from 'zod'
import { emitProfileValueRemoved, noSuchField } from '#accounts/profiles.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import {
  defaultExternalAccounts,
  deleteProfileField,
  deleteProfileValues,
  type FieldData,
  FieldType,
  fieldDataRefusals,
  findProfileFields,
  isDefaultAccount,
  isFieldType,
  lockProfileFields,
  MAX_IN_SUMMARY,
  type ProfileField,
  type ProfileFieldAttributes,
  profileFieldJson,
  requireFieldData,
  saveFieldPosition,
  saveProfileField,
  saveProfileFieldAttributes,
  toProfileFieldJson,
} from '#people/profile-fields.ts'
import { findUsersById } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { lockRealm } from '#realms/queries.ts'
import { limitedText, trimmedText } from '#realms/realm-settings.ts'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './save-organization-changes.ts'

const fieldNameBlank = refusal('BAD_REQUEST', 400, 'Label cannot be blank.', { field: 'name' })
const fieldNameTaken = refusal('BAD_REQUEST', 400, 'A field with that label already exists.', { field: 'name' })
const invalidFieldType = refusal('BAD_REQUEST', 400, 'Invalid field type.', { field: 'field_type' })
const notForSummary = refusal('BAD_REQUEST', 400, 'Field type not supported for display in profile summary.', {
  field: 'display_in_profile_summary',
})
const summaryFull = refusal(
  'BAD_REQUEST',
  400,
  `Only ${MAX_IN_SUMMARY} custom profile fields can be displayed in the profile summary.`,
  { field: 'display_in_profile_summary' },
)
const defaultFieldFixed = refusal('BAD_REQUEST', 400, 'Default custom field cannot be updated.')
const incompleteFieldOrder = refusal('BAD_REQUEST', 400, 'Invalid order mapping.', { field: 'order' })

/** The requested changes to a field. Undefined properties stay unchanged. */
type FieldChanges = { [Name in keyof ProfileFieldAttributes]?: ProfileFieldAttributes[Name] | undefined }

/** Returns the field with this id, or refuses. */
function requireField(current: readonly ProfileField[], id: number): ProfileField {
  const field = current.find((one) => one.id === id)
  if (field === undefined) throw noSuchField({ id })
  return field
}

/**
 * Refuses a field that has no name or the name of another field. Also refuses a field in the summary if the summary
 * does not support its type.
 */
function requireValidField(
  { type, name, isInSummary }: Omit<ProfileField, 'id' | 'position'>,
  others: readonly ProfileField[],
): void {
  if (name === '') throw fieldNameBlank()
  if (isInSummary && (type === FieldType.longText || type === FieldType.people)) throw notForSummary()
  if (others.some((other) => other.name === name)) throw fieldNameTaken()
}

/** Refuses if the summary has no room for another field. */
function requireRoomInSummary(others: readonly ProfileField[]): void {
  if (others.filter((other) => other.isInSummary).length >= MAX_IN_SUMMARY) throw summaryFull()
}

/** Refuses to change the name, hint or site of an external account at a known site. Unchanged values are accepted. */
function requireSameAccount(field: ProfileField, { name, hint, data }: FieldChanges): void {
  const isSame =
    (name ?? field.name) === field.name &&
    (hint ?? field.hint) === field.hint &&
    isSameAccount(data ?? field.data, field.data)
  if (!isSame) throw defaultFieldFixed()
}

const isSameAccount = (one: FieldData, other: FieldData) =>
  one['subtype'] === other['subtype'] && Object.keys(one).length === Object.keys(other).length

/** Adds a field after all others. Returns its id. An external account at a known site gets the site's name and hint. */
async function addProfileField(
  tx: Transaction,
  actor: Actor,
  { type, ...given }: ProfileFieldAttributes & { type: number },
): Promise<number> {
  const current = await lockFields(tx, actor)
  if (given.isInSummary) requireRoomInSummary(current)
  if (!isFieldType(type)) throw invalidFieldType()
  const data = requireFieldData(type, given.data)
  const site = type === FieldType.externalAccount ? defaultExternalAccounts[String(data['subtype'])] : undefined
  const attributes = { ...given, data, name: site?.name ?? given.name, hint: site?.hint ?? given.hint }
  requireValidField({ type, ...attributes }, current)
  const id = await saveProfileField(tx, actor.realmId, { type, ...attributes })
  await recordFields(tx, actor, null, attributes.name)
  await emitProfileFields(tx, actor.realmId)
  return id
}

/** Changes a field. If choices are removed, users' values with these choices are deleted. */
async function changeProfileField(tx: Transaction, actor: Actor, id: number, given: FieldChanges): Promise<void> {
  const current = await lockFields(tx, actor)
  const field = requireField(current, id)
  const others = current.filter((other) => other.id !== id)
  if (given.isInSummary) requireRoomInSummary(others)
  if (field.type === FieldType.externalAccount && isDefaultAccount(field.data)) requireSameAccount(field, given)
  const changed = {
    ...field,
    name: given.name ?? field.name,
    hint: given.hint ?? field.hint,
    data: given.data === undefined ? field.data : requireFieldData(field.type, given.data),
    isInSummary: given.isInSummary ?? field.isInSummary,
    isRequired: given.isRequired ?? field.isRequired,
    isEditable: given.isEditable ?? field.isEditable,
  }
  requireValidField(changed, others)

  const { id: _, type, position, ...traits } = changed
  await saveProfileFieldAttributes(tx, id, traits)
  await recordFields(tx, actor, field.name, changed.name)
  if (type === FieldType.choice) await removeChoices(tx, actor, field, changed)
  await emitProfileFields(tx, actor.realmId)
}

/** Removes a field and all of its values. */
async function removeProfileField(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const field = requireField(await lockFields(tx, actor), id)
  await deleteProfileField(tx, field.id)
  await recordFields(tx, actor, field.name, null)
  await emitProfileFields(tx, actor.realmId)
}

/** Changes the order of the fields. Unknown ids are ignored. */
async function orderProfileFields(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const current = await lockFields(tx, actor)
  if (current.some((field) => !ids.includes(field.id))) throw incompleteFieldOrder()
  for (const field of current) await saveFieldPosition(tx, field.id, ids.lastIndexOf(field.id))
  await recordAudit(tx, actor.realmId, 'organization_changed', {
    setting: 'profile_field_order',
    from: current.map(({ id }) => id),
    to: [...ids],
  })
  await emitProfileFields(tx, actor.realmId)
}

/**
 * Returns the organization's fields, and locks them until the transaction ends. Refuses unless the actor is an
 * administrator.
 */
async function lockFields(tx: Transaction, actor: Actor): Promise<ProfileField[]> {
  requireAdministrator(actor)
  await lockRealm(tx, actor.realmId)
  return lockProfileFields(tx, actor.realmId)
}

/** Records the names of a field before and after a change; both are equal if something else changed. */
const recordFields = (tx: Transaction, actor: Actor, from: string | null, to: string | null): Promise<void> =>
  recordAudit(tx, actor.realmId, 'organization_changed', { setting: 'custom_profile_fields', from, to })

async function removeChoices(
  tx: Transaction,
  { realm }: Actor,
  before: ProfileField,
  after: ProfileField,
): Promise<void> {
  const removed = Object.keys(before.data).filter((key) => !Object.hasOwn(after.data, key))
  const userIds = await deleteProfileValues(tx, before.id, removed)
  for (const user of await findUsersById(tx.db, userIds)) await emitProfileValueRemoved(tx, realm, user, before)
}

async function emitProfileFields(tx: Transaction, realmId: number): Promise<void> {
  const fields = await lockProfileFields(tx, realmId)
  await emitOrganizationEvents(tx, realmId, [{ type: 'custom_profile_fields', fields: fields.map(toProfileFieldJson) }])
}

const name = trimmedText(MAX_LENGTH.profileFieldName)
const hint = limitedText(MAX_LENGTH.profileFieldHint)
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

function toAttributes(given: FieldParams): ProfileFieldAttributes
function toAttributes(given: FieldChangeParams): FieldChanges
function toAttributes(given: FieldChangeParams): FieldChanges {
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
  fieldNameBlank,
  fieldNameTaken,
  notForSummary,
  summaryFull,
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
  refuses: [mustBeAdministrator, incompleteFieldOrder],
  async handle({ transaction, actor }, { order }) {
    await transaction((tx) => orderProfileFields(tx, actor, order))
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
  refuses: [invalidFieldType, ...fieldRefusals],
  async handle({ transaction, actor }, given) {
    const field = { type: given.field_type, ...toAttributes(given) }
    return { id: await transaction((tx) => addProfileField(tx, actor, field)) }
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
  refuses: [noSuchField, defaultFieldFixed, ...fieldRefusals],
  async handle({ transaction, actor }, given) {
    await transaction((tx) => changeProfileField(tx, actor, given.field_id, toAttributes(given)))
    return {}
  },
})

export const removeProfileFieldEndpoint = endpoint({
  route: 'DELETE /realm/profile_fields/{field_id}',
  summary: 'Remove a custom profile field with all of its values',
  who: 'user',
  refuses: [mustBeAdministrator, noSuchField],
  async handle({ transaction, actor }, { field_id }) {
    await transaction((tx) => removeProfileField(tx, actor, field_id))
    return {}
  },
})
