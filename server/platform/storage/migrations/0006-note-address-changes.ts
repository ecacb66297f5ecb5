import type { Migrator } from '../schema.ts'

/** A link that confirms a new address is dead once another change came after it was asked for. */
export async function noteAddressChanges({ dialect, run }: Migrator): Promise<void> {
  await run(`alter table "users" add column "emailChangedAt" ${dialect === 'sqlite' ? 'real' : 'double precision'}`)
}
