import type { Migrator } from '../schema.ts'

/** Databases that were migrated before 0026 created this index lack it. */
export async function indexDueNotices({ run }: Migrator): Promise<void> {
  await run('create index if not exists "pushNotices_dueAt" on "pushNotices" ("dueAt")')
}
