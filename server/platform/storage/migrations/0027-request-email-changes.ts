import type { Migrator } from '../schema.ts'

/** Changes of a person's address that somebody else asked for: what is pending, and what may still be undone. */
export async function requestEmailChanges({ createTable }: Migrator): Promise<void> {
  await createTable('emailChangeRequests', {
    columns: {
      id: 'id',
      realmId: 'integer',
      userId: 'integer',
      requesterId: 'integer?',
      oldEmail: 'text',
      oldEmailKey: 'text',
      newEmail: 'text',
      requestedAt: 'real',
      confirmedAt: 'real?',
      cancelledAt: 'real?',
    },
    indexes: [['userId'], ['realmId', 'oldEmailKey']],
    belongsTo: { realmId: 'realms', userId: 'users' },
  })
}
