import type { Migrator } from '../schema.ts'

/**
 * PostgreSQL looks each record's message up, by itself: for a hundred receivers that takes longer than to save the
 * message and all records (docs/decisions/0007).
 */
export async function holdRecordsUnchecked({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') return
  await run('alter table "userMessages" drop constraint "userMessages_messageId_fkey"')
}
