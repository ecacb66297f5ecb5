import type { Migrator } from '../schema.ts'

/** Reduces index updates: a sent mail only leaves the index of due mails. */
export async function holdMailIndexesStill({ run }: Migrator): Promise<void> {
  await run('drop index "mails_state_dueAt"')
  await run('drop index "mails_recipientKey_state"')
  await run('drop index "mails_invitationId_state"')
  await run('create index "mails_dueAt" on "mails" ("dueAt") where "dueAt" is not null')
  await run('create index "mails_recipientKey" on "mails" ("recipientKey")')
  await run('create index "mails_invitationId" on "mails" ("invitationId") where "invitationId" is not null')
}
