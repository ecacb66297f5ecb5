import type { Migrator } from '../schema.ts'

/** Of which messages people are to be told by mail, unless they read them in time. */
export async function noteMissedMessages({ createTable }: Migrator): Promise<void> {
  await createTable('missedMessages', {
    columns: { userId: 'integer', messageId: 'integer', dueAt: 'real' },
    primaryKey: ['userId', 'messageId'],
    indexes: [['dueAt']],
    references: { userId: 'users' },
  })
}
