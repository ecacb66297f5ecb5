import type { Migrator } from '../schema.ts'

/** Creates the tables of legal holds, and of the messages and files that they keep. */
export async function createLegalHolds({ createTable }: Migrator): Promise<void> {
  await createTable('legalHolds', {
    columns: {
      id: 'id',
      realmId: 'integer',
      userId: 'integer?',
      channelId: 'integer?',
      reason: 'text',
      startedAt: 'real',
    },
    indexes: [['realmId']],
    belongsTo: { realmId: 'realms' },
  })
  await createTable('heldMessages', {
    columns: {
      messageId: 'integer',
      realmId: 'integer',
      senderId: 'integer',
      channelId: 'integer?',
      participantsKey: 'text?',
      topic: 'text',
      content: 'text',
      editHistory: 'text?',
      sentAt: 'real',
      deletedAt: 'real',
    },
    primaryKey: ['messageId'],
    indexes: [['realmId', 'messageId']],
    belongsTo: { realmId: 'realms' },
  })
  await createTable('heldFiles', {
    columns: {
      place: 'text',
      realmId: 'integer',
      ownerId: 'integer',
      fileName: 'text',
      name: 'text',
      size: 'integer',
      createdAt: 'real',
      deletedAt: 'real',
    },
    primaryKey: ['place'],
    indexes: [['realmId']],
    belongsTo: { realmId: 'realms' },
  })
}
