import { emitProfileValueRemoved } from '#accounts/change-profile.ts'
import { defaultExternalAccounts } from '#people/profiles/external-accounts.ts'
import { FieldType, isFieldType, type ProfileField, toProfileFieldJson } from '#people/profiles/field.ts'
import { isDefaultAccount, requireFieldData } from '#people/profiles/field-data.ts'
import {
  deleteProfileField,
  lockProfileFields,
  saveFieldPosition,
  saveProfileField,
  saveProfileFieldAttributes,
} from '#people/profiles/field-queries.ts'
import { deleteProfileValues } from '#people/profiles/value-queries.ts'
import { requireAdministrator } from '#people/users/access.ts'
import { findUsersById } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Transaction } from '#storage/storage.ts'
import { emitOrganizationEvents } from './events.ts'
import * as rules from './profile-field-rules.ts'

/** Adds a field after all others. Returns its id. An external account at a known site gets the site's name and hint. */
export async function addProfileField(
  tx: Transaction,
  actor: Actor,
  { type, ...given }: rules.FieldAttributes & { type: number },
): Promise<number> {
  const current = await lockFields(tx, actor)
  if (given.isInSummary) rules.requireRoomInSummary(current)
  if (!isFieldType(type)) throw rules.invalidFieldType()
  const data = requireFieldData(type, given.data)
  const site = type === FieldType.externalAccount ? defaultExternalAccounts[String(data['subtype'])] : undefined
  const attributes = { ...given, data, name: site?.name ?? given.name, hint: site?.hint ?? given.hint }
  rules.requireValidField({ type, ...attributes }, current)
  const id = await saveProfileField(tx, actor.realmId, { type, ...attributes })
  await emitProfileFields(tx, actor.realmId)
  return id
}

/** Changes a field. If choices are removed, users' values with these choices are deleted. */
export async function changeProfileField(
  tx: Transaction,
  actor: Actor,
  id: number,
  given: rules.FieldChanges,
): Promise<void> {
  const current = await lockFields(tx, actor)
  const field = rules.requireField(current, id)
  const others = current.filter((other) => other.id !== id)
  if (given.isInSummary) rules.requireRoomInSummary(others)
  if (field.type === FieldType.externalAccount && isDefaultAccount(field.data)) rules.requireSameAccount(field, given)
  const changed = {
    ...field,
    name: given.name ?? field.name,
    hint: given.hint ?? field.hint,
    data: given.data === undefined ? field.data : requireFieldData(field.type, given.data),
    isInSummary: given.isInSummary ?? field.isInSummary,
    isRequired: given.isRequired ?? field.isRequired,
    isEditable: given.isEditable ?? field.isEditable,
  }
  rules.requireValidField(changed, others)

  const { id: _, type, position, ...traits } = changed
  await saveProfileFieldAttributes(tx, id, traits)
  if (type === FieldType.choice) await removeChoices(tx, actor, field, changed)
  await emitProfileFields(tx, actor.realmId)
}

/** Removes a field and all of its values. */
export async function removeProfileField(tx: Transaction, actor: Actor, id: number): Promise<void> {
  const field = rules.requireField(await lockFields(tx, actor), id)
  await deleteProfileField(tx, field.id)
  await emitProfileFields(tx, actor.realmId)
}

/** Changes the order of the fields. Unknown ids are ignored. */
export async function orderProfileFields(tx: Transaction, actor: Actor, ids: readonly number[]): Promise<void> {
  const current = await lockFields(tx, actor)
  if (current.some((field) => !ids.includes(field.id))) throw rules.incompleteFieldOrder()
  for (const field of current) await saveFieldPosition(tx, field.id, ids.lastIndexOf(field.id))
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
