import type { Migrator } from '../schema.ts'

/** Creates the table of erasures of users, which a job carries out step by step. */
export async function createErasures({ createTable }: Migrator): Promise<void> {
  await createTable('erasures', {
    columns: {
      id: 'id',
      realmId: 'integer',
      userId: 'integer',
      actorId: 'integer?',
      deletesChannelMessages: 'integer',
      deletesDirectMessages: 'integer',
      deletesFiles: 'integer',
      former: 'text?',
      step: 'text',
      lastId: 'integer',
      startedAt: 'real',
      dueAt: 'real',
      finishedAt: 'real?',
    },
    unique: [['userId']],
    indexes: [['realmId'], ['finishedAt', 'dueAt']],
    belongsTo: { realmId: 'realms', userId: 'users' },
  })
}
