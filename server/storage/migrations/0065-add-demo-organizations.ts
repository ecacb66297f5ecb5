import type { Migrator } from '../schema.ts'

/** Adds the time at which a demo organization ends; null for all other organizations. */
export async function addDemoOrganizations({ dialect, run }: Migrator): Promise<void> {
  const type = dialect === 'postgres' ? 'double precision' : 'real'
  await run(`alter table "realms" add column "demoEndsAt" ${type}`)
}
