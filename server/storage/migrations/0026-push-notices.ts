import type { Migrator } from '../schema.ts'

/** Creates the tables of browsers with push notifications and of their pending notifications. */
export async function pushNotices({ createTable }: Migrator): Promise<void> {
  await createTable('pushSubscriptions', {
    columns: {
      sessionId: 'integer',
      userId: 'integer',
      endpoint: 'text',
      p256dh: 'text',
      auth: 'text',
      addedAt: 'real',
    },
    primaryKey: ['sessionId'],
    unique: [['endpoint']],
    indexes: [['userId']],
    belongsTo: { sessionId: 'sessions', userId: 'users' },
  })
  await createTable('pushNotices', {
    columns: { sessionId: 'integer', messageId: 'integer', attempts: 'integer', dueAt: 'real' },
    primaryKey: ['sessionId', 'messageId'],
    indexes: [['messageId'], ['dueAt']],
    belongsTo: { sessionId: 'sessions', messageId: 'messages' },
  })
}
