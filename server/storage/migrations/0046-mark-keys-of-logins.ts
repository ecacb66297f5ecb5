import type { Migrator } from '../schema.ts'

/** Distinguishes API keys that programs get with a password from those that users create on purpose. */
export async function markKeysOfLogins({ dialect, run }: Migrator): Promise<void> {
  const integer = dialect === 'sqlite' ? 'integer' : 'bigint'
  await run(`alter table "apiKeys" add column "isFromLogin" ${integer} not null default 0`)
}
