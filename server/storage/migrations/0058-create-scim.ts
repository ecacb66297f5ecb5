import type { Migrator } from '../schema.ts'

export async function createScim({ createTable }: Migrator): Promise<void> {
  await createTable('scimTokens', {
    columns: { realmId: 'integer', tokenHash: 'text', creatorId: 'integer?', createdAt: 'real', lastUsedAt: 'real?' },
    primaryKey: ['realmId'],
    unique: [['tokenHash']],
    indexes: [['creatorId']],
    belongsTo: { realmId: 'realms', creatorId: 'users' },
  })
  await createTable('scimUsers', {
    columns: { userId: 'integer', externalId: 'text?', deletedAt: 'real?' },
    primaryKey: ['userId'],
    belongsTo: { userId: 'users' },
  })
  await createTable('scimGroups', {
    columns: { groupId: 'integer', externalId: 'text?' },
    primaryKey: ['groupId'],
    belongsTo: { groupId: 'userGroups' },
  })
}
