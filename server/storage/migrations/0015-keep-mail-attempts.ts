import type { Migrator } from '../schema.ts'

/** Creates the table of delivery attempts, and an index to list the mails of an organization. */
export async function keepMailAttempts({ createTable, run }: Migrator): Promise<void> {
  await createTable('mailAttempts', {
    columns: {
      id: 'id',
      mailId: 'integer',
      startedAt: 'real',
      endedAt: 'real?',
      outcome: 'text?',
      reply: 'text?',
      dialogue: 'text?',
    },
    indexes: [['mailId']],
    belongsTo: { mailId: 'mails' },
  })
  await run('create index "mails_realmId_id" on "mails" ("realmId", "id")')
}
