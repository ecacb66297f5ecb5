import type { Migrator } from '../schema.ts'

/** Seconds until existing retention settings take effect, so that administrators can reconsider them: a week. */
const RESPITE = 7 * 86_400

/** Adds the time from which the retention settings take effect. */
export async function deleteMessagesInTime({ dialect, run }: Migrator): Promise<void> {
  const [real, now] =
    dialect === 'sqlite' ? ['real', `unixepoch('subsec')`] : ['double precision', 'extract(epoch from now())']
  for (const table of ['realms', 'channels']) {
    await run(`alter table "${table}" add column "retentionFrom" ${real}`)
    await run(`update "${table}" set "retentionFrom" = ${now} + ${RESPITE}`)
  }
}
