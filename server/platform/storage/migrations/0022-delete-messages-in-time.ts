import type { Migrator } from '../schema.ts'

/** Seconds that whoever had set a time while nothing was deleted has to think again: a week. */
const RESPITE = 7 * 86_400

/** From when on messages are deleted whose time is over. */
export async function deleteMessagesInTime({ dialect, run }: Migrator): Promise<void> {
  const [real, now] =
    dialect === 'sqlite' ? ['real', `unixepoch('subsec')`] : ['double precision', 'extract(epoch from now())']
  for (const table of ['realms', 'channels']) {
    await run(`alter table "${table}" add column "retentionFrom" ${real}`)
    await run(`update "${table}" set "retentionFrom" = ${now} + ${RESPITE}`)
  }
}
