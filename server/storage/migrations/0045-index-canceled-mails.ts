import type { Migrator } from '../schema.ts'

/** Creates an index of canceled mails, to delete the oldest. */
export async function indexCanceledMails({ run }: Migrator): Promise<void> {
  await run(`create index "mails_canceled" on "mails" ("endedAt") where "state" = 'cancelled'`)
}
