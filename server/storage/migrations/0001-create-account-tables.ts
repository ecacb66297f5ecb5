import type { Migrator } from '../schema.ts'

/** Creates the tables of organizations and their members. */
export async function createAccountTables({ createTable }: Migrator): Promise<void> {
  await createTable('realms', {
    columns: {
      id: 'id',
      subdomain: 'text',
      name: 'text',
      createdAt: 'real',
      deactivatedAt: 'real?',
      settings: 'text',
    },
    unique: [['subdomain']],
  })
  await createTable('realmDomains', {
    columns: { realmId: 'integer', domain: 'text', allowSubdomains: 'integer' },
    primaryKey: ['realmId', 'domain'],
    references: { realmId: 'realms' },
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
    },
    indexes: [['realmId', 'name']],
    references: { realmId: 'realms', authorId: 'users' },
  })
  await createTable('linkifiers', {
    columns: { id: 'id', realmId: 'integer', pattern: 'text', urlTemplate: 'text', position: 'integer' },
    indexes: [['realmId', 'position']],
    references: { realmId: 'realms' },
  })
  await createTable('apiKeys', {
    columns: { id: 'id', userId: 'integer', hash: 'text', client: 'text', createdAt: 'real' },
    unique: [['hash']],
    indexes: [['userId']],
    references: { userId: 'users' },
  })
  await createTable('apiKeyUses', {
    columns: { apiKeyId: 'integer', lastUsedAt: 'real' },
    primaryKey: ['apiKeyId'],
    belongsTo: { apiKeyId: 'apiKeys' },
  })
  await createTable('botServices', {
    columns: { botId: 'integer', payloadUrl: 'text', interface: 'integer' },
    primaryKey: ['botId'],
    belongsTo: { botId: 'users' },
  })
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
