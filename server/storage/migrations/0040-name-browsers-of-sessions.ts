import type { Migrator } from '../schema.ts'

/** Keeps the browser of each session, so that users recognize their devices. */
export async function nameBrowsersOfSessions({ run }: Migrator): Promise<void> {
  await run(`alter table "sessions" add column "browser" text not null default ''`)
}
