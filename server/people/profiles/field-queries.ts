import { defineCache } from '#storage/cache.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { FieldData, FieldType, ProfileField } from './field.ts'

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

type ProfileFieldAttributes = Omit<ProfileField, 'id' | 'type' | 'position'>

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
