import type { Migrator } from '../schema.ts'

/** Creates the table of the default settings for new users. */
export async function keepDefaultUserSettings({ createTable }: Migrator): Promise<void> {
  await createTable('defaultUserSettings', {
    columns: { realmId: 'integer', settings: 'text' },
    primaryKey: ['realmId'],
    references: { realmId: 'realms' },
  })
}
