import type { Migrator } from '../schema.ts'

/** Adds the icons and logos of organizations. */
export async function keepRealmPictures({ run }: Migrator): Promise<void> {
  await run(`alter table "realms" add column "pictures" text not null default '{}'`)
}
