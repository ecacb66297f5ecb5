import type { Migrator } from '../schema.ts'

/** Adds the time from which an account must have a second factor, and the emails about it that were sent. */
export async function requireSecondFactors({ createTable, run }: Migrator): Promise<void> {
  await run(`alter table "users" add column "secondFactorRequiredAt" real`)
  await createTable('secondFactorNotices', {
    columns: { userId: 'integer', kind: 'text' },
    primaryKey: ['userId', 'kind'],
    belongsTo: { userId: 'users' },
  })
}
