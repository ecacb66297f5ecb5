import type { Migrator } from '../schema.ts'

export async function createBotCommands({ createTable }: Migrator): Promise<void> {
  await createTable('botCommands', {
    columns: { realmId: 'integer', name: 'text', botId: 'integer', description: 'text', argumentHint: 'text' },
    primaryKey: ['realmId', 'name'],
    indexes: [['botId']],
    references: { realmId: 'realms' },
    belongsTo: { botId: 'users' },
  })
}
