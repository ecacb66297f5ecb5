import type { Migrator } from '../schema.ts'

/** Adds the issuer to accounts of other services. It is null for those that were saved before. */
export async function addIdentityIssuers({ run }: Migrator): Promise<void> {
  await run(`alter table "externalIdentities" add column "issuer" text`)
  await run(`drop index "externalIdentities_realmId_provider_subject"`)
  await run(
    `create unique index "externalIdentities_realmId_provider_subject_issuer" on "externalIdentities" ("realmId", "provider", "subject", "issuer")`,
  )
}
