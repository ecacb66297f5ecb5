import type { Migrator } from '../schema.ts'

/** The words of a message come into the index after it was sent; those of all that are there are in it. */
export async function takeWordsInLater({ run }: Migrator): Promise<void> {
  await run(
    `insert into "counters" ("name", "value")
     select 'words', "newest" from (select max("id") as "newest" from "messages") as "all" where "newest" is not null`,
  )
}
