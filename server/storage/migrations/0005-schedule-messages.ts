import type { Migrator } from '../schema.ts'

/** Creates the table of scheduled messages. */
export async function scheduleMessages({ createTable, run }: Migrator): Promise<void> {
  await createTable('scheduledMessages', {
    columns: {
      id: 'id',
      realmId: 'integer',
      senderId: 'integer',
      channelId: 'integer?',
      recipientIds: 'text',
      topic: 'text',
      content: 'text',
      renderedContent: 'text',
      client: 'text',
      isReadBySender: 'integer',
      dueAt: 'real',
      failedAt: 'real?',
      version: 'integer',
    },
    indexes: [['senderId', 'dueAt', 'id']],
    references: { realmId: 'realms', senderId: 'users', channelId: 'channels' },
  })
  await run('create index "scheduledMessages_due" on "scheduledMessages" ("dueAt", "id") where "failedAt" is null')
}
