import type { Insertable, Selectable } from 'kysely'
import { defineQuery, defineWrite, insertRowsWithIds } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import type { Tables } from '#storage/tables.ts'

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

type DeliveryRow = Selectable<Tables['webhookDeliveries']>

/** A delivery in the log of a bot. */
export type WebhookDelivery = Omit<DeliveryRow, 'content'> & { canSendAgain: boolean }

export type NewDelivery = Omit<Insertable<Tables['webhookDeliveries']>, 'id' | 'receivedAt'> &
  Omit<DeliveryRow, 'id' | 'receivedAt'>

/** Seconds for which the log of a bot keeps a delivery, and the maximum number of deliveries in it. */
const DELIVERY_LIFETIME = 7 * 86_400
const MAX_DELIVERIES = 200

const findNewestExcess = defineQuery((db, botId: number) =>
  db
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('botId', '=', botId)
    .orderBy('id', 'desc')
    .offset(MAX_DELIVERIES)
    .limit(1),
)

const deleteUpTo = defineWrite('webhookDeliveries', (tx, botId: number, id: number) =>
  tx.deleteFrom('webhookDeliveries').where('botId', '=', botId).where('id', '<=', id),
)

/**
 * Adds a delivery to the log of its bot, and removes the oldest beyond the maximum. With `replaces`, earlier deliveries
 * of the service with the same answer are removed.
 */
export async function saveDelivery(
  tx: Transaction,
  delivery: NewDelivery,
  { replaces = false } = {},
): Promise<WebhookDelivery> {
  const { botId, integration, answer, content } = delivery
  if (replaces)
    await tx
      .deleteFrom('webhookDeliveries')
      .where('botId', '=', botId)
      .where('integration', '=', integration)
      .where('answer', '=', answer)
      .execute()
  const [id = 0] = await insertRowsWithIds(tx, 'webhookDeliveries', [{ ...delivery, receivedAt: tx.now }])
  const [excess] = await findNewestExcess(tx.db, botId)
  if (excess !== undefined) await deleteUpTo(tx, botId, excess.id)
  return { ...delivery, id, receivedAt: tx.now, canSendAgain: content !== null }
}

/** Returns the last deliveries to a bot, newest first. */
export async function findDeliveries(
  db: Db,
  botId: number,
  { integration, before, limit }: { integration: string | null; before: number | null; limit: number },
): Promise<WebhookDelivery[]> {
  let query = db
    .selectFrom('webhookDeliveries')
    .select(['id', 'botId', 'integration', 'target', 'event', 'receivedAt'])
    .select(['outcome', 'status', 'code', 'answer', 'messageId', 'stream', 'topic', 'kind'])
    .select((row) => row.case().when('content', 'is', null).then(0).else(1).end().as('hasContent'))
    .where('botId', '=', botId)
    .orderBy('id', 'desc')
    .limit(limit)
  if (integration !== null) query = query.where('integration', '=', integration)
  if (before !== null) query = query.where('id', '<', before)
  const rows = await query.execute()
  return rows.map(({ hasContent, ...row }) => ({ ...row, canSendAgain: hasContent === 1 }))
}

/** Returns a delivery to the bot with its content; null if there is none. */
export async function findDelivery(db: Db, botId: number, id: number): Promise<DeliveryRow | null> {
  const row = await db
    .selectFrom('webhookDeliveries')
    .selectAll()
    .where('botId', '=', botId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** Removes the payloads from the log of a bot, so that nothing in it can be sent again. */
export async function deletePayloads(tx: Transaction, botId: number): Promise<void> {
  await tx.updateTable('webhookDeliveries').set({ content: null }).where('botId', '=', botId).execute()
}

/** Returns the number of connections of each service: pairs of a bot and a channel and topic for which none was refused. */
export async function countConnections(
  db: Db,
  realmId: number,
  { ownerId }: { ownerId: number | null },
): Promise<ReadonlyMap<string, number>> {
  let query = db
    .selectFrom('webhookDeliveries')
    .innerJoin('users', 'users.id', 'webhookDeliveries.botId')
    .select(['integration', 'botId', 'target'])
    .distinct()
    .where('users.realmId', '=', realmId)
    .where('outcome', '!=', 'refused')
  if (ownerId !== null) query = query.where('users.botOwnerId', '=', ownerId)
  const counts = new Map<string, number>()
  for (const { integration } of await query.execute()) counts.set(integration, (counts.get(integration) ?? 0) + 1)
  return counts
}

/** The maximum number of rows that one transaction deletes. */
const DELETED_AT_ONCE = 500

/** Deletes deliveries that the logs no longer keep. Returns true if there may be more. */
export async function deleteOldDeliveries(tx: Transaction): Promise<boolean> {
  const old = await tx.db
    .selectFrom('webhookDeliveries')
    .select('receivedAt')
    .where('receivedAt', '<=', tx.now - DELIVERY_LIFETIME)
    .orderBy('receivedAt')
    .limit(DELETED_AT_ONCE)
    .execute()
  const last = old.at(-1)
  if (last !== undefined) await tx.deleteFrom('webhookDeliveries').where('receivedAt', '<=', last.receivedAt).execute()
  return old.length === DELETED_AT_ONCE
}
