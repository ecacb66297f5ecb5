import type { Migrator } from '../schema.ts'

/** Large audiences are stored once for many events. */
export async function shareAudiences({ createTable, run }: Migrator): Promise<void> {
  await createTable('audiences', {
    columns: { id: 'id', realmId: 'integer', userIds: 'text', createdAt: 'real' },
    indexes: [['createdAt']],
    belongsTo: { realmId: 'realms' },
    hasLongRows: true,
  })
  await run(`alter table "events" add column "audienceId" integer`)
  await run(`alter table "events" add column "absentIds" text`)
}
