import type { Migrator } from '../schema.ts'

/** Counts the changes of who receives messages; see `lockRecipients` in counters.ts. */
export async function countRecipientChanges({ run }: Migrator): Promise<void> {
  await run(`alter table "counters" add column "recipientChanges" integer not null default 0`)
}
