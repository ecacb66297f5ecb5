import type { Migrator } from '../schema.ts'

/** The personal settings with which organizations have people begin. */
export async function keepDefaultUserSettings({ createTable }: Migrator): Promise<void> {
  await createTable('defaultUserSettings', {
    columns: { realmId: 'integer', settings: 'text' },
    primaryKey: ['realmId'],
    references: { realmId: 'realms' },
  })
}
