import type { Migrator } from '../schema.ts'

/** When channels were last renamed: people who left before that do not know the present name. */
export async function timeRenames({ dialect, run }: Migrator): Promise<void> {
  const real = dialect === 'sqlite' ? 'real' : 'double precision'
  await run(`alter table "channels" add column "renamedAt" ${real}`)
}
