import type { Migrator } from '../schema.ts'

export async function createAuditEntries({ createTable }: Migrator): Promise<void> {
  await createTable('auditEntries', {
    columns: {
      id: 'id',
      realmId: 'integer',
      at: 'real',
      kind: 'text',
      origin: 'text',
      actorId: 'integer?',
      targetId: 'integer?',
      details: 'text',
      address: 'text?',
      client: 'text',
    },
    indexes: [
      ['realmId', 'id'],
      ['realmId', 'actorId', 'id'],
      ['realmId', 'targetId', 'id'],
    ],
    references: { realmId: 'realms' },
  })
}
