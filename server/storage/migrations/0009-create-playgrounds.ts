import type { Migrator } from '../schema.ts'

/** Creates the table of code playgrounds. */
export async function createPlaygrounds({ createTable }: Migrator): Promise<void> {
  await createTable('playgrounds', {
    columns: { id: 'id', realmId: 'integer', name: 'text', language: 'text', urlTemplate: 'text' },
    unique: [['realmId', 'language', 'name']],
    references: { realmId: 'realms' },
  })
}
