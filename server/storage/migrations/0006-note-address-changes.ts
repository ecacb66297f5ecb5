import type { Migrator } from '../schema.ts'

/**
 * Records when an address was last changed: a confirmation link is invalid if another change came after its request.
 */
export async function noteAddressChanges({ dialect, run }: Migrator): Promise<void> {
  await run(`alter table "users" add column "emailChangedAt" ${dialect === 'sqlite' ? 'real' : 'double precision'}`)
}
