import type { Migrator } from '../schema.ts'

export async function createSignIns({ createTable }: Migrator): Promise<void> {
  await createTable('externalIdentities', {
    columns: {
      id: 'id',
      realmId: 'integer',
      provider: 'text',
      subject: 'text',
      userId: 'integer',
      createdAt: 'real',
      lastUsedAt: 'real',
    },
    unique: [['realmId', 'provider', 'subject']],
    indexes: [['userId']],
    references: { realmId: 'realms' },
    belongsTo: { userId: 'users' },
  })
  await createTable('pendingSignIns', {
    columns: { hash: 'text', realmId: 'integer', browserHash: 'text', content: 'text', expiresAt: 'real' },
    primaryKey: ['hash'],
    indexes: [['realmId'], ['expiresAt']],
    references: { realmId: 'realms' },
  })
  await createTable('signInProviders', {
    columns: { id: 'id', realmId: 'integer', settings: 'text', secret: 'text', createdAt: 'real' },
    indexes: [['realmId']],
    references: { realmId: 'realms' },
  })
}
