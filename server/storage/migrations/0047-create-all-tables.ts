import type { Migrator } from '../schema.ts'

/**
 * Creates all tables of release 0.1.0. Its number follows those of the migrations before the first release, so that a
 * database tells by its highest number whether it has these tables.
 */
export async function createAllTables(migrator: Migrator): Promise<void> {
  await createRealmTables(migrator)
  await createAccountTables(migrator)
  await createGroupTables(migrator)
  await createChannelTables(migrator)
  await createMessageTables(migrator)
  await createNotificationTables(migrator)
  await createPresenceTables(migrator)
  await createInvitationTables(migrator)
  await createMailTables(migrator)
  await createServerTables(migrator)
}

/** Organizations, their members, and what their administrators set up. */
async function createRealmTables({ createTable }: Migrator): Promise<void> {
  await createTable('realms', {
    columns: {
      id: 'id',
      subdomain: 'text',
      name: 'text',
      createdAt: 'real',
      deactivatedAt: 'real?',
      settings: 'text',
      retentionFrom: 'real?',
      pictures: "text = '{}'",
    },
    unique: [['subdomain']],
  })
  await createTable('realmDomains', {
    columns: { realmId: 'integer', domain: 'text', allowSubdomains: 'integer' },
    primaryKey: ['realmId', 'domain'],
    references: { realmId: 'realms' },
  })
  await createTable('realmRedirects', {
    columns: { subdomain: 'text', realmId: 'integer' },
    primaryKey: ['subdomain'],
    indexes: [['realmId']],
    belongsTo: { realmId: 'realms' },
  })
  await createTable('recipients', {
    columns: { id: 'id', realmId: 'integer' },
    references: { realmId: 'realms' },
  })
  await createTable('users', {
    columns: {
      id: 'id',
      realmId: 'integer',
      recipientId: 'integer',
      deliveryEmail: 'text',
      emailKey: 'text',
      fullName: 'text',
      role: 'integer',
      botType: 'integer?',
      botOwnerId: 'integer?',
      joinedAt: 'real',
      deactivatedAt: 'real?',
      passwordHash: 'text?',
      avatarFile: 'text?',
      avatarVersion: 'integer',
      timezone: 'text',
      settings: 'text',
      emailChangedAt: 'real?',
    },
    unique: [['realmId', 'emailKey'], ['recipientId']],
    indexes: [['botOwnerId']],
    references: { realmId: 'realms', recipientId: 'recipients', botOwnerId: 'users' },
  })
  await createTable('realmEmoji', {
    columns: {
      id: 'id',
      realmId: 'integer',
      name: 'text',
      authorId: 'integer',
      fileName: 'text',
      createdAt: 'real',
      deactivatedAt: 'real?',
      stillFileName: 'text?',
    },
    indexes: [['realmId', 'name']],
    references: { realmId: 'realms', authorId: 'users' },
  })
  await createTable('linkifiers', {
    columns: { id: 'id', realmId: 'integer', pattern: 'text', urlTemplate: 'text', position: 'integer' },
    indexes: [['realmId', 'position']],
    references: { realmId: 'realms' },
  })
  await createTable('playgrounds', {
    columns: { id: 'id', realmId: 'integer', name: 'text', language: 'text', urlTemplate: 'text' },
    unique: [['realmId', 'language', 'name']],
    references: { realmId: 'realms' },
  })
  await createTable('profileFields', {
    columns: {
      id: 'id',
      realmId: 'integer',
      name: 'text',
      type: 'integer',
      hint: 'text',
      data: 'text',
      position: 'integer',
      isInSummary: 'integer',
      isRequired: 'integer',
      isEditable: 'integer',
    },
    unique: [['realmId', 'name']],
    references: { realmId: 'realms' },
  })
  await createTable('defaultUserSettings', {
    columns: { realmId: 'integer', settings: 'text' },
    primaryKey: ['realmId'],
    references: { realmId: 'realms' },
  })
  await createTable('messageDays', {
    columns: { realmId: 'integer', day: 'integer', messages: 'integer' },
    primaryKey: ['realmId', 'day'],
  })
}

/** Credentials of accounts, and what people keep about themselves. */
async function createAccountTables(migrator: Migrator): Promise<void> {
  const { createTable, run } = migrator
  await createTable('apiKeys', {
    columns: {
      id: 'id',
      userId: 'integer',
      hash: 'text',
      client: 'text',
      createdAt: 'real',
      isFromLogin: 'integer = 0',
    },
    unique: [['hash']],
    indexes: [['userId']],
    references: { userId: 'users' },
  })
  await createTable('apiKeyUses', {
    columns: { apiKeyId: 'integer', lastUsedAt: 'real' },
    primaryKey: ['apiKeyId'],
    belongsTo: { apiKeyId: 'apiKeys' },
  })
  await createTable('sessions', {
    columns: {
      id: 'id',
      userId: 'integer',
      hash: 'text',
      isKept: 'integer',
      openedAt: 'real',
      expiresAt: 'real',
      browser: "text = ''",
    },
    unique: [['hash']],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: 'users' },
  })
  await createTable('knownPlaces', {
    columns: { userId: 'integer', place: 'text', lastAt: 'real' },
    primaryKey: ['userId', 'place'],
    belongsTo: { userId: 'users' },
  })
  await createTable('botServices', {
    columns: { botId: 'integer', payloadUrl: 'text', interface: 'integer', token: "text = ''" },
    primaryKey: ['botId'],
    belongsTo: { botId: 'users' },
  })
  await createTable('botStorage', {
    columns: { botId: 'integer', key: 'text', value: 'text' },
    primaryKey: ['botId', 'key'],
    references: { botId: 'users' },
    hasLongRows: true,
  })
  await createTable('profileValues', {
    columns: { userId: 'integer', fieldId: 'integer', value: 'text', renderedValue: 'text?' },
    primaryKey: ['userId', 'fieldId'],
    indexes: [['fieldId']],
    references: { userId: 'users' },
    belongsTo: { fieldId: 'profileFields' },
    hasLongRows: true,
  })
  await createTable('userStatuses', {
    columns: {
      userId: 'integer',
      text: 'text',
      emojiName: 'text?',
      emojiCode: 'text?',
      reactionType: 'text?',
      setAt: 'real',
      endsAt: 'real?',
    },
    primaryKey: ['userId'],
    references: { userId: 'users' },
  })
  await createTable('alertWords', {
    columns: { id: 'id', userId: 'integer', word: 'text', wordKey: 'text' },
    unique: [['userId', 'wordKey']],
    references: { userId: 'users' },
  })
  await createTable('mutedUsers', {
    columns: { mutedUserId: 'integer', userId: 'integer', mutedAt: 'real' },
    primaryKey: ['mutedUserId', 'userId'],
    indexes: [['userId']],
    references: { mutedUserId: 'users', userId: 'users' },
  })
  await createTable('emailChangeRequests', {
    columns: {
      id: 'id',
      realmId: 'integer',
      userId: 'integer',
      requesterId: 'integer?',
      oldEmail: 'text',
      oldEmailKey: 'text',
      newEmail: 'text',
      requestedAt: 'real',
      confirmedAt: 'real?',
      cancelledAt: 'real?',
    },
    indexes: [['userId'], ['realmId', 'oldEmailKey']],
    belongsTo: { realmId: 'realms', userId: 'users' },
  })

  await run('create index "userStatuses_endsAt" on "userStatuses" ("endsAt") where "endsAt" is not null')
}

/** User groups. */
async function createGroupTables({ createTable }: Migrator): Promise<void> {
  await createTable('userGroups', {
    columns: {
      id: 'id',
      realmId: 'integer',
      name: 'text',
      description: 'text',
      systemName: 'text?',
      creatorId: 'integer?',
      createdAt: 'real',
      deactivatedAt: 'real?',
      settings: 'text',
    },
    indexes: [['realmId', 'name']],
    references: { realmId: 'realms', creatorId: 'users' },
  })
  await createTable('userGroupMembers', {
    columns: { groupId: 'integer', userId: 'integer' },
    primaryKey: ['groupId', 'userId'],
    indexes: [['userId']],
    references: { userId: 'users' },
    belongsTo: { groupId: 'userGroups' },
  })
  await createTable('userGroupSubgroups', {
    columns: { groupId: 'integer', subgroupId: 'integer' },
    primaryKey: ['groupId', 'subgroupId'],
    indexes: [['subgroupId']],
    belongsTo: { groupId: 'userGroups', subgroupId: 'userGroups' },
  })
}

/** Channels and conversations, and who takes part in them. */
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
      retentionFrom: 'real?',
      renamedAt: 'real?',
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

/** Messages and what belongs to them. */
async function createMessageTables(migrator: Migrator): Promise<void> {
  const { createTable, dialect, run } = migrator
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
      holdings: 'integer = 0',
    },
    indexes: [
      ['realmId', 'id'],
      ['senderId', 'id'],
    ],
    references: { senderId: 'users', channelId: 'channels', conversationId: 'conversations' },
  })
  await createTable('userMessages', {
    columns: { userId: 'integer', messageId: 'integer', flags: 'integer' },
    // The rows of one message are stored together: with the user first in the key, each message would touch a page per
    // recipient.
    primaryKey: ['messageId', 'userId'],
    // PostgreSQL would check the message of each record separately, which for a hundred recipients takes longer than
    // saving the message and all records (docs/decisions/0007).
    belongsTo: dialect === 'sqlite' ? { messageId: 'messages' } : {},
  })
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
  await createTable('attachmentClaims', {
    columns: { messageId: 'integer', attachmentId: 'integer' },
    primaryKey: ['messageId', 'attachmentId'],
    indexes: [['attachmentId', 'messageId']],
    belongsTo: { messageId: 'messages', attachmentId: 'attachments' },
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
  await createTable('sentLocalIds', {
    columns: { userId: 'integer', localId: 'text', messageId: 'integer', sentAt: 'real' },
    primaryKey: ['userId', 'localId'],
    indexes: [['sentAt']],
    references: { userId: 'users' },
  })
  await createTable('linkPreviewRequests', {
    columns: { messageId: 'integer', senderId: 'integer' },
    primaryKey: ['messageId'],
    indexes: [['senderId']],
    belongsTo: { messageId: 'messages', senderId: 'users' },
  })

  // A message is in a channel or in a conversation, and has rows in the indexes of one kind only.
  await run('create index "messages_channelId_id" on "messages" ("channelId", "id") where "channelId" is not null')
  await run(
    'create index "messages_channelId_topicKey_id" on "messages" ("channelId", "topicKey", "id") where "channelId" is not null',
  )
  await run(
    'create index "messages_conversationId_id" on "messages" ("conversationId", "id") where "conversationId" is not null',
  )
  await run('create index "messages_holdings" on "messages" ("realmId", "id") where "holdings" <> 0')
  await run('create index "userMessages_starred" on "userMessages" ("userId", "messageId") where ("flags" & 2) <> 0')
  // Few records are starred, mention their user or are collapsed or historical: messages/flags.ts, INDEXED_FLAGS.
  await run('create index "userMessages_marks" on "userMessages" ("userId", "messageId") where ("flags" & 3706) <> 0')
  await run('create index "attachments_unclaimedAt" on "attachments" ("unclaimedAt") where "unclaimedAt" is not null')
  await run('create index "scheduledMessages_due" on "scheduledMessages" ("dueAt", "id") where "failedAt" is null')
  await createSearchIndex(migrator)
}

/** Notifications outside of the client, and where they are delivered. */
async function createNotificationTables({ createTable }: Migrator): Promise<void> {
  await createTable('missedMessages', {
    columns: { userId: 'integer', messageId: 'integer', dueAt: 'real' },
    primaryKey: ['userId', 'messageId'],
    indexes: [['dueAt']],
    references: { userId: 'users' },
  })
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
  await createTable('pushTokens', {
    columns: { userId: 'integer', service: 'text', token: 'text', appId: 'text?', addedAt: 'real' },
    primaryKey: ['userId', 'service', 'token'],
    references: { userId: 'users' },
    hasLongRows: true,
  })
  await createTable('webhookCalls', {
    columns: { botId: 'integer', messageId: 'integer', trigger: 'text', attempts: 'integer', dueAt: 'real' },
    primaryKey: ['botId', 'messageId'],
    indexes: [['messageId']],
    belongsTo: { botId: 'users', messageId: 'messages' },
  })
  await createTable('digests', {
    columns: { userId: 'integer', preparedAt: 'real' },
    primaryKey: ['userId'],
    belongsTo: { userId: 'users' },
  })
}

/** Presences of users, and their last activity. */
async function createPresenceTables({ createTable }: Migrator): Promise<void> {
  await createTable('presences', {
    columns: {
      userId: 'integer',
      realmId: 'integer',
      lastActiveAt: 'real?',
      lastConnectedAt: 'real?',
      updateId: 'integer',
    },
    primaryKey: ['userId'],
    indexes: [['realmId']],
  })
  await createTable('presenceCeilings', {
    columns: { realmId: 'integer', ceiling: 'integer' },
    primaryKey: ['realmId'],
  })
  await createTable('hiddenPresences', {
    columns: { userId: 'integer', endsAt: 'real' },
    primaryKey: ['userId'],
    indexes: [['endsAt']],
    references: { userId: 'users' },
  })
  await createTable('activityIntervals', {
    columns: { userId: 'integer', startedAt: 'real', endedAt: 'real' },
    primaryKey: ['userId', 'startedAt'],
  })
}

/** Invitations, and their number for the limits. */
async function createInvitationTables(migrator: Migrator): Promise<void> {
  const { createTable, run } = migrator
  await createTable('invitations', {
    columns: {
      id: 'id',
      realmId: 'integer',
      inviterId: 'integer',
      email: 'text?',
      emailKey: 'text?',
      role: 'integer',
      createdAt: 'real',
      sentAt: 'real',
      lifetimeMinutes: 'integer?',
      expiresAt: 'real?',
      keySeed: 'text',
      channelIds: 'text',
      groupIds: 'text',
      includesDefaultChannels: 'integer',
      notifiesInviter: 'integer',
      maxUses: 'integer?',
      uses: 'integer',
      allowedDomains: 'text',
      askedAgainAt: 'real?',
      endedAt: 'real?',
      endedAs: 'text?',
      formerKeyHash: 'text?',
    },
    indexes: [['realmId', 'emailKey'], ['inviterId']],
    references: { realmId: 'realms', inviterId: 'users' },
  })
  await createTable('invitationCounts', {
    columns: { realmId: 'integer', day: 'integer', count: 'integer' },
    primaryKey: ['realmId', 'day'],
  })
  await createTable('inviterCounts', {
    columns: { userId: 'integer', day: 'integer', count: 'integer' },
    primaryKey: ['userId'],
    references: { userId: 'users' },
  })

  await run(
    'create unique index "invitations_formerKeyHash" on "invitations" ("formerKeyHash") where "formerKeyHash" is not null',
  )
}

/** Emails and the attempts to deliver them. */
async function createMailTables(migrator: Migrator): Promise<void> {
  const { createTable, run } = migrator
  await createTable('mails', {
    columns: {
      id: 'id',
      realmId: 'integer?',
      recipient: 'text',
      recipientKey: 'text',
      letter: 'text',
      data: 'text',
      invitationId: 'integer?',
      messageId: 'text',
      createdAt: 'real',
      state: 'text',
      dueAt: 'real?',
      attempts: 'integer',
      reply: 'text?',
      endedAt: 'real?',
    },
  })
  await createTable('mailAttempts', {
    columns: {
      id: 'id',
      mailId: 'integer',
      startedAt: 'real',
      endedAt: 'real?',
      outcome: 'text?',
      reply: 'text?',
      dialogue: 'text?',
    },
    indexes: [['mailId']],
    belongsTo: { mailId: 'mails' },
  })
  await createTable('mailRefusals', {
    columns: { realmId: 'integer', recipientKey: 'text', refusedAt: 'real' },
    primaryKey: ['realmId', 'recipientKey'],
    belongsTo: { realmId: 'realms' },
  })

  // A sent email only leaves the index of those that are due.
  await run('create index "mails_dueAt" on "mails" ("dueAt") where "dueAt" is not null')
  await run('create index "mails_recipientKey" on "mails" ("recipientKey")')
  await run('create index "mails_invitationId" on "mails" ("invitationId") where "invitationId" is not null')
  await run('create index "mails_realmId_id" on "mails" ("realmId", "id")')
  await run(`create index "mails_canceled" on "mails" ("endedAt") where "state" = 'cancelled'`)
}

/** Events, and the state of the server itself. */
async function createServerTables({ createTable }: Migrator): Promise<void> {
  await createTable('events', {
    columns: {
      realmId: 'integer',
      id: 'integer',
      createdAt: 'real',
      type: 'text',
      payload: 'text',
      audience: 'text',
    },
    primaryKey: ['realmId', 'id'],
    hasLongRows: true,
  })
  await createTable('eventQueues', {
    columns: {
      id: 'text',
      realmId: 'integer',
      userId: 'integer',
      registeredAt: 'real',
      startId: 'integer',
      acknowledgedId: 'integer',
      polledAt: 'real',
      lifespan: 'integer',
      form: 'text',
      hearsAllPublic: 'integer',
    },
    primaryKey: ['id'],
    indexes: [['realmId', 'hearsAllPublic'], ['userId']],
    references: { realmId: 'realms', userId: 'users' },
  })
  await createTable('counters', { columns: { name: 'text', value: 'integer' }, primaryKey: ['name'] })
  await createTable('installation', { columns: { name: 'text', value: 'text' }, primaryKey: ['name'] })
  await createTable('setupLinks', {
    columns: { hash: 'text', expiresAt: 'real', draft: 'text' },
    primaryKey: ['hash'],
  })
  await createTable('dataExports', {
    columns: {
      id: 'id',
      realmId: 'integer',
      actorId: 'integer',
      type: 'integer',
      file: 'text',
      bytes: 'integer?',
      attempts: 'integer',
      requestedAt: 'real',
      finishedAt: 'real?',
      failedAt: 'real?',
      deletedAt: 'real?',
    },
    unique: [['file']],
    indexes: [['realmId'], ['actorId']],
    belongsTo: { realmId: 'realms', actorId: 'users' },
  })
}

/** The words of messages, which a job adds after they are sent. */
async function createSearchIndex({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') {
    // The words are stored normalized, so the tokenizer only splits them at spaces.
    await run(
      `create virtual table "messageWords" using fts5 ("words", content = '', contentless_delete = 1, tokenize = 'ascii')`,
    )
    await run(
      `create trigger "messages_endWords" after delete on "messages"
       begin delete from "messageWords" where "rowid" = old."id"; end`,
    )
    return
  }
  await run(
    `create table "messageWords" (
       "rowid" bigint primary key references "messages" ("id") on delete cascade, "words" tsvector not null)`,
  )
  await run('create index "messageWords_words" on "messageWords" using gin ("words")')
  // Without these statistics PostgreSQL assumes that nearly all records have a mark, and that one message in two
  // hundred is in an organization, and prefers to read whole tables.
  await run('create statistics "userMessages_marks" on ("flags" & 3706) from "userMessages"')
  await run('create statistics "messages_realmId" on (+"realmId") from "messages"')
}
