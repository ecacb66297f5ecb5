import type { Migrator } from '../schema.ts'

export async function createMailIn({ createTable }: Migrator): Promise<void> {
  await createTable('channelAddresses', {
    columns: {
      channelId: 'integer',
      creatorId: 'integer',
      senderId: 'integer',
      nonce: 'text',
      tokenHash: 'text',
      createdAt: 'real',
      hourFrom: 'real = 0',
      mailsInHour: 'integer = 0',
    },
    primaryKey: ['channelId', 'creatorId', 'senderId'],
    unique: [['tokenHash']],
    indexes: [['creatorId'], ['senderId']],
    belongsTo: { channelId: 'channels', creatorId: 'users', senderId: 'users' },
  })
  await createTable('replyAddresses', {
    columns: { tokenHash: 'text', userId: 'integer', messageId: 'integer', expiresAt: 'real', uses: 'integer = 0' },
    primaryKey: ['tokenHash'],
    indexes: [['userId'], ['messageId'], ['expiresAt']],
    belongsTo: { userId: 'users', messageId: 'messages' },
  })
}
