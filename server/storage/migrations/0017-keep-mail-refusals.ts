import type { Migrator } from '../schema.ts'

/** Creates the table of people without an account who have unsubscribed from an organization's mail. */
export async function keepMailRefusals({ createTable }: Migrator): Promise<void> {
  await createTable('mailRefusals', {
    columns: { realmId: 'integer', recipientKey: 'text', refusedAt: 'real' },
    primaryKey: ['realmId', 'recipientKey'],
    belongsTo: { realmId: 'realms' },
  })
}
