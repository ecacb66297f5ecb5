import type { Migrator } from '../schema.ts'

/** Adds the index to databases that were migrated before 0026 created it. */
export async function indexDueNotices({ run }: Migrator): Promise<void> {
  await run('create index if not exists "pushNotices_dueAt" on "pushNotices" ("dueAt")')
}
