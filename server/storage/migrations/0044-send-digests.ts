import type { Migrator } from '../schema.ts'

/** Creates the table of the last digest of each user. */
export async function sendDigests({ createTable }: Migrator): Promise<void> {
  await createTable('digests', {
    columns: { userId: 'integer', preparedAt: 'real' },
    primaryKey: ['userId'],
    belongsTo: { userId: 'users' },
  })
}
