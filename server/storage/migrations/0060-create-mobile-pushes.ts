import type { Migrator } from '../schema.ts'

export async function createMobilePushes({ createTable }: Migrator): Promise<void> {
  // A sent notification outlives its message, because it is removed from the device when the message is gone.
  await createTable('mobilePushes', {
    columns: { userId: 'integer', messageId: 'integer', attempts: 'integer', dueAt: 'real', sentAt: 'real?' },
    primaryKey: ['userId', 'messageId'],
    indexes: [['dueAt'], ['messageId']],
    belongsTo: { userId: 'users' },
  })
}
