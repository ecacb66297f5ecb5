import type { Migrator } from '../schema.ts'

/** Widens two times on PostgreSQL, where a column that is added as `real` stores them with an error of up to 64 seconds. */
export async function storeTimesExactly({ dialect, run }: Migrator): Promise<void> {
  if (dialect !== 'postgres') return
  await run(`alter table "sessions" alter column "confirmedAt" type double precision`)
  await run(`alter table "users" alter column "secondFactorRequiredAt" type double precision`)
}
