import type { Migrator } from '../schema.ts'

/**
 * A narrow compares the organization of each message in a way that no index is used for. PostgreSQL guesses that one message
 * in two hundred is of the organization, and sorts a whole channel for its newest messages, unless it gathers statistics.
 */
export async function estimateRealms({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') return
  await run('create statistics "messages_realmId" on (+"realmId") from "messages"')
  // Large tables are analyzed by PostgreSQL itself no sooner than a tenth of their rows is new.
  await run(`do $$ begin
    if exists (select 1 from "messages") then
      analyze "messages";
      analyze "userMessages";
    end if;
  end $$`)
}
