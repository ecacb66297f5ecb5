import type { Migrator } from '../schema.ts'

/** Records when channels were last renamed: people who unsubscribed before do not know the current name. */
export async function timeRenames({ dialect, run }: Migrator): Promise<void> {
  const real = dialect === 'sqlite' ? 'real' : 'double precision'
  await run(`alter table "channels" add column "renamedAt" ${real}`)
}
