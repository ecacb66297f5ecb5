import type { Migrator } from '../schema.ts'

/** Creates the tables of custom profile fields and their values. */
export async function createProfileTables({ createTable }: Migrator): Promise<void> {
  await createTable('profileFields', {
    columns: {
      id: 'id',
      realmId: 'integer',
      name: 'text',
      type: 'integer',
      hint: 'text',
      data: 'text',
      position: 'integer',
      isInSummary: 'integer',
      isRequired: 'integer',
      isEditable: 'integer',
    },
    unique: [['realmId', 'name']],
    references: { realmId: 'realms' },
  })
  await createTable('profileValues', {
    columns: { userId: 'integer', fieldId: 'integer', value: 'text', renderedValue: 'text?' },
    primaryKey: ['userId', 'fieldId'],
    indexes: [['fieldId']],
    references: { userId: 'users' },
    belongsTo: { fieldId: 'profileFields' },
    hasLongRows: true,
  })
}
