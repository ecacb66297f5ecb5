import type { Migrator } from '../schema.ts'

/** Keys now contain the id of their invitation and are no longer looked up, except for keys that were sent before. */
export async function nameInvitationsInKeys({ dialect, run }: Migrator): Promise<void> {
  const text = dialect === 'sqlite' ? 'text' : 'text collate "C"'
  await run(`alter table "invitations" add column "formerKeyHash" ${text}`)
  await run('update "invitations" set "formerKeyHash" = "keyHash"')
  await run('drop index "invitations_keyHash"')
  await run('alter table "invitations" drop column "keyHash"')
  await run(
    'create unique index "invitations_formerKeyHash" on "invitations" ("formerKeyHash") where "formerKeyHash" is not null',
  )
}
