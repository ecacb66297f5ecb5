import type { Migrator } from '../schema.ts'

/**
 * Few records have one of these flags, which have an index. PostgreSQL guesses that nearly all have, and prefers to read
 * whole tables, unless it gathers statistics about them.
 */
export async function estimateMarkedRecords({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'postgres')
    await run('create statistics "userMessages_marks" on ("flags" & 3706) from "userMessages"')
}
