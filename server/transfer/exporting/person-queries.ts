import type { Db } from '#storage/storage.ts'

// The rows of one user, for the archive of their own data. Secrets are left out: the hashes of passwords,
// keys and sessions.

/** Finds at most `limit` messages after `id`: those that the user sent to channels. */
export function findOwnChannelMessages(db: Db, userId: number, id: number, limit: number) {
  return db
    .selectFrom('messages')
    .innerJoin('channels', 'channels.id', 'messages.channelId')
    .select(['messages.id', 'channels.name as channel', 'topic', 'content', 'sentAt', 'editHistory', 'client'])
    .where('senderId', '=', userId)
    .where('messages.id', '>', id)
    .orderBy('messages.id')
    .limit(limit)
    .execute()
}

/** Finds at most `limit` messages after `id`: those of the user's direct conversations, with their senders. */
export function findDirectMessages(db: Db, userId: number, id: number, limit: number) {
  return db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
    .innerJoin('users', 'users.id', 'messages.senderId')
    .select(['messages.id', 'participantsKey', 'senderId', 'fullName', 'content', 'sentAt', 'editHistory', 'client'])
    .where('messages.conversationId', 'in', (inner) =>
      inner.selectFrom('conversationMembers').select('conversationId').where('userId', '=', userId),
    )
    .where('messages.id', '>', id)
    .orderBy('messages.id')
    .limit(limit)
    .execute()
}

/** Returns the name of each account of the organization, by id. */
export async function findNames(db: Db, realmId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await db.selectFrom('users').select(['id', 'fullName']).where('realmId', '=', realmId).execute()
  return new Map(rows.map(({ id, fullName }) => [id, fullName]))
}

/**
 * Returns the small lists of the user's data. Each is a file of the archive. Of channels that the user may not read,
 * names and topics are left out: they may have changed since the user left.
 */
export async function findOwnLists(db: Db, userId: number, readableChannels: ReadonlySet<number>) {
  const channels = await db
    .selectFrom('subscriptions')
    .innerJoin('channels', 'channels.id', 'channelId')
    .select([
      'channelId',
      'name',
      'color',
      'isMuted',
      'isPinned',
      'subscriptions.settings',
      'subscribedAt',
      'unsubscribedAt',
    ])
    .where('userId', '=', userId)
    .orderBy('channelId')
    .execute()
  const topics = await db
    .selectFrom('userTopics')
    .innerJoin('channels', 'channels.id', 'channelId')
    .select(['channelId', 'name', 'topic', 'visibilityPolicy', 'setAt'])
    .where('userId', '=', userId)
    .orderBy('channelId')
    .orderBy('topicKey')
    .execute()
  return {
    profile_fields: await db
      .selectFrom('profileValues')
      .innerJoin('profileFields', 'profileFields.id', 'fieldId')
      .select(['name', 'value'])
      .where('userId', '=', userId)
      .orderBy('position')
      .execute(),
    status: await db.selectFrom('userStatuses').selectAll().where('userId', '=', userId).execute(),
    alert_words: await db.selectFrom('alertWords').select('word').where('userId', '=', userId).orderBy('id').execute(),
    muted_people: await db
      .selectFrom('mutedUsers')
      .innerJoin('users', 'users.id', 'mutedUserId')
      .select(['mutedUserId', 'fullName', 'mutedAt'])
      .where('userId', '=', userId)
      .execute(),
    groups: await db
      .selectFrom('userGroupMembers')
      .innerJoin('userGroups', 'userGroups.id', 'groupId')
      .select(['userGroups.id', 'name'])
      .where('userId', '=', userId)
      .orderBy('userGroups.id')
      .execute(),
    channels: channels.map((row) => (readableChannels.has(row.channelId) ? row : { ...row, name: null })),
    topics: topics.filter(({ channelId }) => readableChannels.has(channelId)),
    reactions: await db
      .selectFrom('reactions')
      .select(['messageId', 'emojiName'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute(),
    poll_votes: await db
      .selectFrom('submessages')
      .select(['messageId', 'content'])
      .where('senderId', '=', userId)
      .orderBy('id')
      .execute(),
    drafts: await db.selectFrom('drafts').selectAll().where('userId', '=', userId).orderBy('id').execute(),
    scheduled_messages: await db
      .selectFrom('scheduledMessages')
      .select(['id', 'channelId', 'recipientIds', 'topic', 'content', 'dueAt', 'failedAt', 'reminderOf'])
      .where('senderId', '=', userId)
      .orderBy('id')
      .execute(),
    snippets: await db
      .selectFrom('savedSnippets')
      .select(['title', 'content', 'createdAt'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute(),
    bots: await db
      .selectFrom('users')
      .select(['id', 'fullName', 'deliveryEmail', 'joinedAt', 'deactivatedAt'])
      .where('botOwnerId', '=', userId)
      .orderBy('id')
      .execute(),
    sessions: await db
      .selectFrom('sessions')
      .select(['browser', 'openedAt', 'expiresAt'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute(),
    passkeys: await db
      .selectFrom('passkeys')
      .select(['name', 'createdAt', 'lastUsedAt'])
      .where('userId', '=', userId)
      .orderBy('id')
      .execute(),
    api_keys: await db
      .selectFrom('apiKeys')
      .leftJoin('apiKeyUses', 'apiKeyId', 'apiKeys.id')
      .select(['client', 'createdAt', 'lastUsedAt'])
      .where('userId', '=', userId)
      .orderBy('apiKeys.id')
      .execute(),
    push_browsers: await db.selectFrom('pushSubscriptions').select('addedAt').where('userId', '=', userId).execute(),
    push_apps: await db
      .selectFrom('pushTokens')
      .select(['service', 'appId', 'addedAt'])
      .where('userId', '=', userId)
      .execute(),
    activity: await db
      .selectFrom('activityIntervals')
      .select(['startedAt', 'endedAt'])
      .where('userId', '=', userId)
      .orderBy('startedAt')
      .execute(),
    invitations: await db
      .selectFrom('invitations')
      .select(['email', 'createdAt', 'expiresAt', 'endedAt'])
      .where('inviterId', '=', userId)
      .orderBy('id')
      .execute(),
    emails: await db
      .selectFrom('mails')
      .innerJoin('users', 'users.emailKey', 'mails.recipientKey')
      .select(['letter as kind', 'mails.createdAt', 'mails.state'])
      .where('users.id', '=', userId)
      .whereRef('mails.realmId', '=', 'users.realmId')
      .orderBy('mails.id')
      .execute(),
  }
}
