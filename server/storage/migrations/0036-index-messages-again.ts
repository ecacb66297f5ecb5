import type { Migrator } from '../schema.ts'

/** Lets the server index all messages again in the background: words of the search index lose more endings than before. */
export async function indexMessagesAgain({ run }: Migrator): Promise<void> {
  await run(`insert into "counters" ("name", "value")
    select 'words again', 0 from "counters" where "name" = 'words' and "value" > 0`)
}
