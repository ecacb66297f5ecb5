import type { Migrator } from '../schema.ts'

/** Gives statuses an end, and creates the table of users who hide their presence until a time. */
export async function endStatuses({ dialect, run, createTable }: Migrator): Promise<void> {
  const real = dialect === 'sqlite' ? 'real' : 'double precision'
  await run(`alter table "userStatuses" add column "endsAt" ${real}`)
  await run('create index "userStatuses_endsAt" on "userStatuses" ("endsAt") where "endsAt" is not null')
  await createTable('hiddenPresences', {
    columns: { userId: 'integer', endsAt: 'real' },
    primaryKey: ['userId'],
    indexes: [['endsAt']],
    references: { userId: 'users' },
  })
}
