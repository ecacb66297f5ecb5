import type { Migrator } from '../schema.ts'

/** Creates the table of messages that are to be reported by mail unless they are read in time. */
export async function noteMissedMessages({ createTable }: Migrator): Promise<void> {
  await createTable('missedMessages', {
    columns: { userId: 'integer', messageId: 'integer', dueAt: 'real' },
    primaryKey: ['userId', 'messageId'],
    indexes: [['dueAt']],
    references: { userId: 'users' },
  })
}
