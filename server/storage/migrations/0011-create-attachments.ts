import type { Migrator } from '../schema.ts'

/** Creates the tables of uploaded files and of the messages that link to them. */
export async function createAttachments({ createTable, run }: Migrator): Promise<void> {
  await createTable('attachments', {
    columns: {
      id: 'id',
      realmId: 'integer',
      ownerId: 'integer',
      place: 'text',
      fileName: 'text',
      name: 'text',
      size: 'integer',
      createdAt: 'real',
      unclaimedAt: 'real?',
      imageType: 'text?',
      imageWidth: 'integer?',
      imageHeight: 'integer?',
      isAnimated: 'integer',
    },
    unique: [['place']],
    indexes: [
      ['ownerId', 'id'],
      ['realmId', 'size'],
    ],
    references: { realmId: 'realms', ownerId: 'users' },
  })
  await run('create index "attachments_unclaimedAt" on "attachments" ("unclaimedAt") where "unclaimedAt" is not null')
  await createTable('attachmentClaims', {
    columns: { messageId: 'integer', attachmentId: 'integer' },
    primaryKey: ['messageId', 'attachmentId'],
    indexes: [['attachmentId', 'messageId']],
    belongsTo: { messageId: 'messages', attachmentId: 'attachments' },
  })
}
