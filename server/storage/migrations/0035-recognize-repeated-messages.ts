import type { Migrator } from '../schema.ts'

/** Creates the table by which the server recognizes messages that a client sends again because it got no response. */
export async function recognizeRepeatedMessages({ createTable }: Migrator): Promise<void> {
  await createTable('sentLocalIds', {
    columns: { userId: 'integer', localId: 'text', messageId: 'integer', sentAt: 'real' },
    primaryKey: ['userId', 'localId'],
    indexes: [['sentAt']],
    references: { userId: 'users' },
  })
}
