import type { Migrator } from '../schema.ts'

/** Creates the table of browser sessions. */
export async function openSessions({ createTable }: Migrator): Promise<void> {
  await createTable('sessions', {
    columns: {
      id: 'id',
      userId: 'integer',
      hash: 'text',
      isKept: 'integer',
      openedAt: 'real',
      expiresAt: 'real',
    },
    unique: [['hash']],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: 'users' },
  })
}
