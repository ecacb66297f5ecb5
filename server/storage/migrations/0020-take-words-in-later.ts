import type { Migrator } from '../schema.ts'

/** New messages are indexed after they were sent; existing messages are indexed already. */
export async function takeWordsInLater({ run }: Migrator): Promise<void> {
  await run(
    `insert into "counters" ("name", "value")
     select 'words', "newest" from (select max("id") as "newest" from "messages") as "all" where "newest" is not null`,
  )
}
