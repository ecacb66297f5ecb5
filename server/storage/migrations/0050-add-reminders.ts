import type { Migrator } from '../schema.ts'

/** Adds the message that a reminder is about to scheduled messages; null for all others. */
export async function addReminders({ dialect, run }: Migrator): Promise<void> {
  const type = dialect === 'sqlite' ? 'integer' : 'bigint'
  await run(`alter table "scheduledMessages" add column "reminderOf" ${type}`)
}
