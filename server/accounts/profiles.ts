import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { recordAudit } from '#people/audit.ts'
import {
  deleteProfileValue,
  FieldType,
  findProfileValue,
  lockProfileFields,
  type ProfileField,
  renderValue,
  requireValue,
  saveProfileValue,
  userIdsInValue,
  valueRefusals,
} from '#people/profile-fields.ts'
import { findUsersById } from '#people/user-queries.ts'
import { type Actor, isBot, isVisible, type User } from '#people/users.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { fieldNotEditable, requireMayChangeField } from './access.ts'
import { emitUserChange } from './user-events.ts'

// The endpoints that change the values of custom profile fields, of the caller or, for administrators, of others. If
// one of several values is refused, none changes.

export const noSuchField = refusal('BAD_REQUEST', 400, 'Field id {id} not found.')
const notAPerson = refusal('BAD_REQUEST', 400, 'Invalid user ID: {id}')
const personDeactivated = refusal('BAD_REQUEST', 400, 'User with ID {id} is deactivated')
const personIsBot = refusal('BAD_REQUEST', 400, 'User with ID {id} is a bot')

export const profileRefusals = [noSuchField, fieldNotEditable, notAPerson, personDeactivated, personIsBot]

/** A new value for a custom profile field. An empty value removes the current one. */
type ProfileValueUpdate = { id: number; value?: unknown }

/**
 * Changes a user's values for custom profile fields, and emits them to all users who may see the user. If any value is
 * refused, nothing changes.
 */
export async function changeProfile(
  tx: Transaction,
  actor: Actor,
  user: User,
  given: readonly ProfileValueUpdate[],
): Promise<void> {
  if (given.length === 0) return
  const fields = isBot(user) ? [] : await lockProfileFields(tx, user.realmId)
  const changes: { field: ProfileField; value: string | null }[] = []
  for (const { id, value } of given) {
    const field = requireChangeableField(actor, fields, id)
    changes.push({ field, value: isEmpty(value) ? null : await requireFieldValue(tx, actor, field, value) })
  }
  await saveProfile(tx, actor.realm, user, changes, { isAudited: changes.length > 0 && actor.id !== user.id })
}

type ProfileChange = { field: ProfileField; value: string | null }

async function saveProfile(
  tx: Transaction,
  realm: Realm,
  user: User,
  changes: readonly ProfileChange[],
  { isAudited }: { isAudited: boolean },
): Promise<void> {
  if (isAudited)
    await recordAudit(tx, user.realmId, 'profile_changed', {
      targetId: user.id,
      fields: changes.map(({ field }) => field.id),
    })
  for (const { field, value } of changes) {
    if (value === null) await removeValue(tx, realm, user, field)
    else await setValue(tx, realm, user, field, value)
  }
}

/**
 * Gives the user the values of a directory, by the names of the fields; '' removes one. Ignores fields that the
 * organization does not have, and lists of people. Returns whether something changed. Refuses invalid values.
 */
export async function changeProfileByDirectory(
  tx: Transaction,
  realm: Realm,
  user: User,
  values: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (Object.keys(values).length === 0) return false
  const changes: ProfileChange[] = []
  for (const field of await lockProfileFields(tx, realm.id)) {
    if (!Object.hasOwn(values, field.name) || field.type === FieldType.people) continue
    const given = values[field.name] ?? ''
    const value = given === '' ? null : requireValue(field, given)
    if (value !== (await findProfileValue(tx.db, user.id, field.id))) changes.push({ field, value })
  }
  await saveProfile(tx, realm, user, changes, { isAudited: changes.length > 0 })
  return changes.length > 0
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function requireChangeableField(actor: Actor, fields: readonly ProfileField[], id: number): ProfileField {
  const field = fields.find((one) => one.id === id)
  if (field === undefined) throw noSuchField({ id })
  requireMayChangeField(actor, field)
  return field
}

async function requireFieldValue(tx: Transaction, actor: Actor, field: ProfileField, given: unknown): Promise<string> {
  const value = requireValue(field, given)
  if (field.type === FieldType.people) await requirePeople(tx.db, actor, userIdsInValue(value), tx.now)
  return value
}

/** Refuses unless all ids belong to active people whom the actor may see. */
async function requirePeople(db: Db, actor: Actor, ids: readonly number[], now: number): Promise<void> {
  const visibleIds = await viewerOf(db, actor, now).visibleIds()
  const people = new Map((await findUsersById(db, ids)).map((user) => [user.id, user]))
  for (const id of ids) {
    const person = people.get(id)
    if (person === undefined || person.realmId !== actor.realmId || !isVisible(visibleIds, person))
      throw notAPerson({ id })
    if (person.deactivatedAt !== null) throw personDeactivated({ id })
    if (isBot(person)) throw personIsBot({ id })
  }
}

async function setValue(tx: Transaction, realm: Realm, user: User, field: ProfileField, value: string): Promise<void> {
  if ((await findProfileValue(tx.db, user.id, field.id)) === value) return
  const renderedValue = renderValue(field, value, realmAddress(realm.subdomain, tx.db.settings.EXTERNAL_URL).url)
  await saveProfileValue(tx, { userId: user.id, fieldId: field.id, value, renderedValue })
  const rendered = renderedValue === null ? {} : { rendered_value: renderedValue }
  await emitUserChange(tx, realm, user, { custom_profile_field: { id: field.id, value, ...rendered } })
}

async function removeValue(tx: Transaction, realm: Realm, user: User, field: ProfileField): Promise<void> {
  if (await deleteProfileValue(tx, user.id, field.id)) await emitProfileValueRemoved(tx, realm, user, field)
}

/** Emits that the user no longer has a value for the field. */
export async function emitProfileValueRemoved(
  tx: Transaction,
  realm: Realm,
  user: User,
  { id }: ProfileField,
): Promise<void> {
  await emitUserChange(tx, realm, user, { custom_profile_field: { id, value: null } })
}

const changeOwnProfile = endpoint({
  route: 'PATCH /users/me/profile_data',
  summary: 'Set your custom profile fields',
  who: 'human',
  params: {
    data: z
      .array(z.object({ id: z.int(), value: z.unknown() }))
      .describe(
        'Values by field id: a string or, for fields of type user, a list of user ids. Empty values are removed.',
      ),
  },
  refuses: [...profileRefusals, ...valueRefusals],
  async handle({ transaction, actor }, { data }) {
    await transaction((tx) => changeProfile(tx, actor, actor, data))
    return {}
  },
})

const clearOwnProfile = endpoint({
  route: 'DELETE /users/me/profile_data',
  summary: 'Clear your custom profile fields',
  who: 'human',
  params: { data: z.array(z.int()).describe('The ids of the fields.') },
  refuses: profileRefusals,
  async handle({ transaction, actor }, { data }) {
    const removals = data.map((id) => ({ id }))
    await transaction((tx) => changeProfile(tx, actor, actor, removals))
    return {}
  },
})

export const profileEndpoints = [changeOwnProfile, clearOwnProfile]
