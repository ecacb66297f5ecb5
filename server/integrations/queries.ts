import type { Db, Transaction } from '#storage/storage.ts'

/** Returns the secret with which the service signs its deliveries to the bot; null if none is set. */
export async function findWebhookSecret(db: Db, botId: number, integration: string): Promise<string | null> {
  const row = await db
    .selectFrom('webhookSecrets')
    .select('secret')
    .where('botId', '=', botId)
    .where('integration', '=', integration)
    .executeTakeFirst()
  return row?.secret ?? null
}

/** Returns the names of the integrations for which the bot has a secret. */
export async function findSignedIntegrations(db: Db, botId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhookSecrets')
    .select('integration')
    .where('botId', '=', botId)
    .orderBy('integration')
    .execute()
  return rows.map((row) => row.integration)
}

/** Sets the secret of a service; null removes it. */
export async function saveWebhookSecret(
  tx: Transaction,
  botId: number,
  integration: string,
  secret: string | null,
): Promise<void> {
  if (secret === null)
    await tx.deleteFrom('webhookSecrets').where('botId', '=', botId).where('integration', '=', integration).execute()
  else
    await tx
      .insertInto('webhookSecrets')
      .values({ botId, integration, secret })
      .onConflict((on) => on.columns(['botId', 'integration']).doUpdateSet({ secret }))
      .execute()
}

/** Seconds between two messages to the owner of a bot about the same kind of problem. */
const NOTICE_PAUSE = 3600

/** Returns whether the owner may be told about a kind of problem now. With `tx`, records that they are. */
export async function mayNotifyOwner(
  db: Db,
  botId: number,
  kind: string,
  now: number,
  tx: Transaction | null = null,
): Promise<boolean> {
  const row = await db
    .selectFrom('webhookNotices')
    .select('sentAt')
    .where('botId', '=', botId)
    .where('kind', '=', kind)
    .executeTakeFirst()
  if (row !== undefined && now < row.sentAt + NOTICE_PAUSE) return false
  await tx
    ?.insertInto('webhookNotices')
    .values({ botId, kind, sentAt: now })
    .onConflict((on) => on.columns(['botId', 'kind']).doUpdateSet({ sentAt: now }))
    .execute()
  return true
}
