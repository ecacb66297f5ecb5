import type { Migrator } from '../schema.ts'

export async function createOutgoingDeliveries({ createTable }: Migrator): Promise<void> {
  await createTable('outgoingDeliveries', {
    columns: {
      id: 'id',
      botId: 'integer',
      messageId: 'integer',
      trigger: 'text',
      startedAt: 'real',
      endedAt: 'real?',
      outcome: 'text',
      attempts: 'integer',
      status: 'integer?',
      error: 'text',
    },
    indexes: [['botId', 'id'], ['messageId']],
    belongsTo: { botId: 'users', messageId: 'messages' },
  })
}
