import type { Migrator } from '../schema.ts'

/** Emoji that move have a picture that does not. */
export async function addStillEmoji({ dialect, run }: Migrator): Promise<void> {
  const text = dialect === 'sqlite' ? 'text' : 'text collate "C"'
  await run(`alter table "realmEmoji" add column "stillFileName" ${text}`)
}
