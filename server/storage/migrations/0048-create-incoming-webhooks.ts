import type { Migrator } from '../schema.ts'

export async function createIncomingWebhooks({ createTable }: Migrator): Promise<void> {
  await createTable('webhookSecrets', {
    columns: { botId: 'integer', integration: 'text', secret: 'text' },
    primaryKey: ['botId', 'integration'],
    belongsTo: { botId: 'users' },
  })
  await createTable('webhookNotices', {
    columns: { botId: 'integer', kind: 'text', sentAt: 'real' },
    primaryKey: ['botId', 'kind'],
    belongsTo: { botId: 'users' },
  })
}
