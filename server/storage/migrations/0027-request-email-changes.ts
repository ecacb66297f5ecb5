import type { Migrator } from '../schema.ts'

/**
 * Creates the table of address changes that an administrator requested: pending ones, and those that can still be
 * undone.
 */
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
