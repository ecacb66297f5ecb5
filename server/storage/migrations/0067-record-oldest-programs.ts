import type { Migrator } from '../schema.ts'

/** Records with each migration from now on which programs can use the database afterwards; see `Migration`. */
export async function recordOldestPrograms({ run }: Migrator): Promise<void> {
  await run(`alter table "migrations" add column "oldestProgram" integer not null default 0`)
}
