import type { Migrator } from '../schema.ts'

/** Creates the table of exports that administrators request. */
export async function keepDataExports({ createTable }: Migrator): Promise<void> {
  await createTable('dataExports', {
    columns: {
      id: 'id',
      realmId: 'integer',
      actorId: 'integer',
      type: 'integer',
      file: 'text',
      bytes: 'integer?',
      attempts: 'integer',
      requestedAt: 'real',
      finishedAt: 'real?',
      failedAt: 'real?',
      deletedAt: 'real?',
    },
    unique: [['file']],
    indexes: [['realmId'], ['actorId']],
    belongsTo: { realmId: 'realms', actorId: 'users' },
  })
}
