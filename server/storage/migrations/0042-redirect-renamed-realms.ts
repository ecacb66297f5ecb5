import type { Migrator } from '../schema.ts'

/** Creates the table of subdomains that organizations had before they were renamed. */
export async function redirectRenamedRealms({ createTable }: Migrator): Promise<void> {
  await createTable('realmRedirects', {
    columns: { subdomain: 'text', realmId: 'integer' },
    primaryKey: ['subdomain'],
    indexes: [['realmId']],
    belongsTo: { realmId: 'realms' },
  })
}
