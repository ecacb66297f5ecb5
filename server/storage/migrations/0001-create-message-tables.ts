import type { Migrator } from '../schema.ts'

/** Creates the tables of channels, conversations and messages. */
export async function createMessageTables(migrator: Migrator): Promise<void> {
  await createChannelTables(migrator)
  const { createTable } = migrator
  await createTable('messages', {
    columns: {
      id: 'ordered id',
      realmId: 'integer',
      senderId: 'integer',
      channelId: 'integer?',
      conversationId: 'integer?',
      topic: 'text',
      topicKey: 'text',
      content: 'text',
      renderedContent: 'text',
      renderedVersion: 'integer',
      client: 'text',
      sentAt: 'real',
      editHistory: 'text?',
      lastEditedAt: 'real?',
      lastMovedAt: 'real?',
    },
    indexes: [
      ['channelId', 'id'],
      ['channelId', 'topicKey', 'id'],
      ['conversationId', 'id'],
      ['realmId', 'id'],
    ],
    references: { senderId: 'users', channelId: 'channels', conversationId: 'conversations' },
  })
  await createTable('userMessages', {
    columns: { userId: 'integer', messageId: 'integer', flags: 'integer' },
    // The rows of one message are stored together: with the user first in the key, each message would touch a page per
    // recipient.
    primaryKey: ['messageId', 'userId'],
    belongsTo: { messageId: 'messages' },
  })
  await migrator.run(
    'create index "userMessages_starred" on "userMessages" ("userId", "messageId") where ("flags" & 2) <> 0',
  )
  await createTable('readMarks', {
    columns: { channelId: 'integer', conversationId: 'integer', userId: 'integer', messageId: 'integer' },
    primaryKey: ['channelId', 'conversationId', 'userId'],
  })
  await createTable('reactions', {
    columns: {
      id: 'id',
      messageId: 'integer',
      userId: 'integer',
      emojiName: 'text',
      emojiCode: 'text',
      reactionType: 'text',
    },
    unique: [['messageId', 'userId', 'reactionType', 'emojiCode']],
    belongsTo: { messageId: 'messages' },
  })
  await createTable('submessages', {
    columns: { id: 'id', messageId: 'integer', senderId: 'integer', msgType: 'text', content: 'text' },
    indexes: [['messageId']],
    belongsTo: { messageId: 'messages' },
  })
}

async function createChannelTables({ createTable }: Migrator): Promise<void> {
  await createTable('channels', {
    columns: {
      id: 'id',
      realmId: 'integer',
      recipientId: 'integer',
      name: 'text',
      nameKey: 'text',
      description: 'text',
      renderedDescription: 'text',
      isPrivate: 'integer',
      isWebPublic: 'integer',
      isHistoryShared: 'integer',
      creatorId: 'integer?',
      createdAt: 'real',
      archivedAt: 'real?',
      messageRetentionDays: 'integer?',
      settings: 'text',
    },
    unique: [['realmId', 'nameKey'], ['recipientId']],
    references: { realmId: 'realms', recipientId: 'recipients', creatorId: 'users' },
  })
  await createTable('defaultChannels', {
    columns: { realmId: 'integer', channelId: 'integer' },
    primaryKey: ['realmId', 'channelId'],
    references: { realmId: 'realms', channelId: 'channels' },
  })
  await createTable('subscriptions', {
    columns: {
      userId: 'integer',
      channelId: 'integer',
      color: 'text',
      isMuted: 'integer',
      isPinned: 'integer',
      settings: 'text',
      subscribedAt: 'real',
      unsubscribedAt: 'real?',
    },
    primaryKey: ['userId', 'channelId'],
    indexes: [['channelId']],
    references: { userId: 'users', channelId: 'channels' },
  })
  await createTable('conversations', {
    columns: { id: 'id', realmId: 'integer', recipientId: 'integer?', participantsKey: 'text' },
    unique: [['realmId', 'participantsKey'], ['recipientId']],
    references: { realmId: 'realms', recipientId: 'recipients' },
  })
  await createTable('conversationMembers', {
    columns: { conversationId: 'integer', userId: 'integer' },
    primaryKey: ['conversationId', 'userId'],
    indexes: [['userId']],
    references: { userId: 'users' },
    belongsTo: { conversationId: 'conversations' },
  })
}
