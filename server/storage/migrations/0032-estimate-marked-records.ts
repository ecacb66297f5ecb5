import type { Migrator } from '../schema.ts'

/**
 * Gathers statistics about the few records with one of these flags, which have an index. Without them PostgreSQL
 * assumes that nearly all records match and prefers to read whole tables.
 */
export async function estimateMarkedRecords({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'postgres')
    await run('create statistics "userMessages_marks" on ("flags" & 3706) from "userMessages"')
}
