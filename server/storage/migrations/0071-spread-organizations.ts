import type { Migrator } from '../schema.ts'

/** Organizations may be spread over several databases, whose ids differ, and move between them. */
export async function spreadOrganizations({ createTable, run }: Migrator): Promise<void> {
  await createTable('organizationDatabases', {
    columns: { subdomain: 'text', database: 'integer', movingSince: 'real?' },
    primaryKey: ['subdomain'],
  })
  await createTable('organizationMoves', {
    columns: { realmId: 'integer', state: 'text', startedAt: 'real' },
    primaryKey: ['realmId'],
  })
  await run(`alter table "counters" add column "step" integer not null default 1`)
}
