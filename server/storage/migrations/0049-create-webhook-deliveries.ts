import type { Migrator } from '../schema.ts'

export async function createWebhookDeliveries({ createTable }: Migrator): Promise<void> {
  await createTable('webhookDeliveries', {
    columns: {
      id: 'id',
      botId: 'integer',
      integration: 'text',
      target: 'text',
      event: 'text?',
      receivedAt: 'real',
      outcome: 'text',
      status: 'integer',
      code: 'text?',
      answer: 'text',
      messageId: 'integer?',
      content: 'text?',
    },
    indexes: [['botId', 'id'], ['receivedAt']],
    belongsTo: { botId: 'users' },
  })
}
