import type { Migrator } from '../schema.ts'

/** Creates the tables of presence, of invitations, and of the server's own work. */
export async function createServerTables({ createTable }: Migrator): Promise<void> {
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
  await createTable('activityIntervals', {
    columns: { userId: 'integer', startedAt: 'real', endedAt: 'real' },
    primaryKey: ['userId', 'startedAt'],
  })
  await createTable('invitations', {
    columns: {
      id: 'id',
      realmId: 'integer',
      inviterId: 'integer',
      email: 'text',
      emailKey: 'text',
      role: 'integer',
      createdAt: 'real',
      sentAt: 'real',
      lifetimeMinutes: 'integer?',
      expiresAt: 'real?',
      keySeed: 'text',
      keyHash: 'text',
      channelIds: 'text',
      groupIds: 'text',
      includesDefaultChannels: 'integer',
      notifiesInviter: 'integer',
      endedAt: 'real?',
      endedAs: 'text?',
    },
    unique: [['keyHash']],
    indexes: [['realmId', 'emailKey']],
    references: { realmId: 'realms', inviterId: 'users' },
  })
  await createTable('invitationCounts', {
    columns: { realmId: 'integer', day: 'integer', count: 'integer' },
    primaryKey: ['realmId', 'day'],
  })
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
    indexes: [
      ['state', 'dueAt'],
      ['recipientKey', 'state'],
      ['invitationId', 'state'],
    ],
  })
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
  await createTable('counters', { columns: { name: 'text', value: 'integer' }, primaryKey: ['name'] })
  await createTable('installation', { columns: { name: 'text', value: 'text' }, primaryKey: ['name'] })
}
