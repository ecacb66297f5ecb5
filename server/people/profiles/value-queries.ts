import type { Db, Transaction } from '#storage/storage.ts'
import type { ProfileData, Profiles } from '../users/user-json.ts'
import { findProfileFields } from './field-queries.ts'

export type ProfileValue = { userId: number; fieldId: number; value: string; renderedValue: string | null }

/**
 * Returns the values of all users of the organization. If `userId` is not null, it returns only those of this user. If
 * the organization has no fields, it does not query the values.
 */
export async function findProfiles(db: Db, realmId: number, userId: number | null = null): Promise<Profiles> {
  if ((await findProfileFields(db, realmId)).length === 0) return new Map()
  const values = db
    .selectFrom('profileValues')
    .innerJoin('profileFields', 'profileFields.id', 'fieldId')
    .select(['userId', 'fieldId', 'value', 'renderedValue'])
    .where('realmId', '=', realmId)
  return toProfiles(await (userId === null ? values : values.where('userId', '=', userId)).execute())
}

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
