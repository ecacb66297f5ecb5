import type { Migrator } from '../schema.ts'

/** Adds a still image to animated emoji. */
export async function addStillEmoji({ dialect, run }: Migrator): Promise<void> {
  const text = dialect === 'sqlite' ? 'text' : 'text collate "C"'
  await run(`alter table "realmEmoji" add column "stillFileName" ${text}`)
}
