import type { Migrator } from '../schema.ts'

/** Who is signed in with a browser. */
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
