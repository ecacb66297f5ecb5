import type { Migrator } from '../schema.ts'

/** Who wants no more mail from an organization without an account there. */
export async function keepMailRefusals({ createTable }: Migrator): Promise<void> {
  await createTable('mailRefusals', {
    columns: { realmId: 'integer', recipientKey: 'text', refusedAt: 'real' },
    primaryKey: ['realmId', 'recipientKey'],
    belongsTo: { realmId: 'realms' },
  })
}
