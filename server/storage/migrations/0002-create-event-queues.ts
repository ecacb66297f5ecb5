import type { Migrator } from '../schema.ts'

/** Creates the table of event queues. */
export async function createEventQueues({ createTable }: Migrator): Promise<void> {
  await createTable('eventQueues', {
    columns: {
      id: 'text',
      realmId: 'integer',
      userId: 'integer',
      registeredAt: 'real',
      startId: 'integer',
      acknowledgedId: 'integer',
      polledAt: 'real',
      lifespan: 'integer',
      form: 'text',
      hearsAllPublic: 'integer',
    },
    primaryKey: ['id'],
    indexes: [['realmId', 'hearsAllPublic'], ['userId']],
    references: { realmId: 'realms', userId: 'users' },
  })
}
