import type { Migrator } from '../schema.ts'

/** Creates the table of networks from which users have signed in: guesses from elsewhere do not lock them out there. */
export async function knowPlaces({ createTable }: Migrator): Promise<void> {
  await createTable('knownPlaces', {
    columns: { userId: 'integer', place: 'text', lastAt: 'real' },
    primaryKey: ['userId', 'place'],
    belongsTo: { userId: 'users' },
  })
}
