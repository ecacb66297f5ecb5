import type { Migrator } from '../schema.ts'

/**
 * Gathers statistics about the organization of messages. A narrow compares it in an expression without an index;
 * without statistics PostgreSQL assumes that one message in two hundred matches, and sorts a whole channel to find its
 * newest messages.
 */
export async function estimateRealms({ dialect, run }: Migrator): Promise<void> {
  if (dialect === 'sqlite') return
  await run('create statistics "messages_realmId" on (+"realmId") from "messages"')
  // PostgreSQL analyzes a large table by itself only after a tenth of its rows has changed.
  await run(`do $$ begin
    if exists (select 1 from "messages") then
      analyze "messages";
      analyze "userMessages";
    end if;
  end $$`)
}
