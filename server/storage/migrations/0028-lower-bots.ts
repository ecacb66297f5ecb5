import type { Migrator } from '../schema.ts'

/** Lowers the roles of bots to the roles of their owners; bots without an active owner become members. */
export async function lowerBots({ run }: Migrator): Promise<void> {
  const owner = `select 1 from "users" as "owners" where "owners"."id" = "users"."botOwnerId"`
  await run(
    `update "users" set "role" = 400 where "botType" is not null and "role" < 400
     and not exists (${owner} and "owners"."deactivatedAt" is null)`,
  )
  await run(
    `update "users" set "role" = (select "owners"."role" from "users" as "owners" where "owners"."id" = "users"."botOwnerId")
     where "botType" is not null and exists (${owner} and "owners"."role" > "users"."role")`,
  )
}
