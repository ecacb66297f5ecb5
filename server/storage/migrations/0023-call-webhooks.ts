import type { Migrator } from '../schema.ts'

/** Creates the queue of outgoing webhooks, and adds a token to each bot that has none. */
export async function callWebhooks({ dialect, createTable, run }: Migrator): Promise<void> {
  await createTable('webhookCalls', {
    columns: { botId: 'integer', messageId: 'integer', trigger: 'text', attempts: 'integer', dueAt: 'real' },
    primaryKey: ['botId', 'messageId'],
    indexes: [['messageId']],
    belongsTo: { botId: 'users', messageId: 'messages' },
  })
  const token = dialect === 'sqlite' ? 'lower(hex(randomblob(16)))' : `replace(gen_random_uuid()::text, '-', '')`
  await run(`alter table "botServices" add column "token" text not null default ''`)
  await run(`update "botServices" set "token" = ${token}`)
}
