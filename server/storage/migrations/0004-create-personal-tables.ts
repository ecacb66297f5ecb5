import type { Migrator } from '../schema.ts'

/** Creates the tables of personal data: statuses, mutes, drafts and similar. */
export async function createPersonalTables(migrator: Migrator): Promise<void> {
  await createMutes(migrator)
  const { createTable } = migrator
  await createTable('userStatuses', {
    columns: {
      userId: 'integer',
      text: 'text',
      emojiName: 'text?',
      emojiCode: 'text?',
      reactionType: 'text?',
      setAt: 'real',
    },
    primaryKey: ['userId'],
    references: { userId: 'users' },
  })
  await createTable('alertWords', {
    columns: { id: 'id', userId: 'integer', word: 'text', wordKey: 'text' },
    unique: [['userId', 'wordKey']],
    references: { userId: 'users' },
  })
  await createTable('drafts', {
    columns: {
      id: 'id',
      userId: 'integer',
      type: 'text',
      recipientIds: 'text',
      topic: 'text',
      content: 'text',
      editedAt: 'real',
    },
    indexes: [['userId', 'id']],
    references: { userId: 'users' },
  })
  await createTable('savedSnippets', {
    columns: { id: 'id', userId: 'integer', title: 'text', content: 'text', createdAt: 'real' },
    indexes: [['userId', 'id']],
    references: { userId: 'users' },
  })
  await createTable('botStorage', {
    columns: { botId: 'integer', key: 'text', value: 'text' },
    primaryKey: ['botId', 'key'],
    references: { botId: 'users' },
    hasLongRows: true,
  })
}

async function createMutes({ createTable }: Migrator): Promise<void> {
  await createTable('mutedUsers', {
    columns: { mutedUserId: 'integer', userId: 'integer', mutedAt: 'real' },
    primaryKey: ['mutedUserId', 'userId'],
    indexes: [['userId']],
    references: { mutedUserId: 'users', userId: 'users' },
  })
  await createTable('userTopics', {
    columns: {
      userId: 'integer',
      channelId: 'integer',
      topicKey: 'text',
      topic: 'text',
      visibilityPolicy: 'integer',
      setAt: 'real',
    },
    primaryKey: ['userId', 'channelId', 'topicKey'],
    indexes: [['channelId', 'topicKey']],
    references: { userId: 'users', channelId: 'channels' },
  })
}
