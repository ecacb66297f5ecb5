import type { Migrator } from '../schema.ts'

/**
 * Drops a foreign key: PostgreSQL checks the message of each record separately, which for a hundred recipients takes
 * longer than saving the message and all records (docs/decisions/0007).
 */
export async function holdRecordsUnchecked({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') return
  await run('alter table "userMessages" drop constraint "userMessages_messageId_fkey"')
}
