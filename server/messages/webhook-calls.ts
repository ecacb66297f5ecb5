import { sql } from 'kysely'
import { idsIn } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// The calls of outgoing webhooks: those that wait to be made, and the log of all deliveries of the last days. They are
// saved in the transaction of the message, so that no call is lost, or made for a message that was not sent. They are
// stored here, below the module that makes them. The log holds neither messages nor responses.

/** The reason why a message triggers the webhook. */
export type WebhookTrigger = 'mention' | 'direct_message' | 'command'

/** A pending call that passes a message to an outgoing webhook. */
export type WebhookCall = {
  botId: number
  messageId: number
  trigger: WebhookTrigger
  attempts: number
  /** The time of the next attempt. */
  dueAt: number
}

/** The maximum number of waiting calls of a bot. A slow receiver can make them pile up. */
const MAX_WAITING = 1000

/**
 * Adds a call with the message for each bot, and its delivery to the log. The calls are due after the commit. Bots that
 * have reached MAX_WAITING get none, and neither do bots for which the message already waits. Returns the ids of the
 * deliveries.
 */
export async function saveWebhookCalls(
  tx: Transaction,
  botIds: readonly number[],
  messageId: number,
  trigger: WebhookTrigger,
): Promise<number[]> {
  const ready = botIds.length === 0 ? [] : await findReady(tx.db, botIds)
  if (ready.length === 0) return []
  const call = { messageId, trigger, attempts: 0, dueAt: tx.now }
  const calls = await tx
    .insertInto('webhookCalls')
    .values(ready.map((botId) => ({ botId, ...call })))
    .onConflict((on) => on.doNothing())
    .returning('botId')
    .execute()
  if (calls.length === 0) return []
  const delivery = { messageId, trigger, startedAt: tx.now, endedAt: null, outcome: 'waiting', attempts: 0 }
  const rows = await tx
    .insertInto('outgoingDeliveries')
    .values(calls.map(({ botId }) => ({ botId, ...delivery, status: null, error: '' })))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function findReady(db: Db, botIds: readonly number[]): Promise<number[]> {
  const waiting = await db
    .selectFrom('webhookCalls')
    .select('botId')
    .where('botId', 'in', botIds)
    .groupBy('botId')
    .having((is) => is.fn.countAll(), '>=', MAX_WAITING)
    .execute()
  const busy = new Set(waiting.map(({ botId }) => botId))
  return botIds.filter((id) => !busy.has(id))
}

/** Returns the first call of each bot, due or not, ordered by message. */
export async function findFirstCalls(db: Db): Promise<WebhookCall[]> {
  const first = db
    .selectFrom('webhookCalls')
    .select((is) => ['botId', is.fn.min('messageId').as('messageId')])
    .groupBy('botId')
    .as('first')
  const rows = await db
    .selectFrom('webhookCalls')
    .innerJoin(first, (join) =>
      join
        .onRef('first.botId', '=', 'webhookCalls.botId')
        .on('first.messageId', '=', sql.ref('webhookCalls.messageId')),
    )
    .selectAll('webhookCalls')
    .orderBy('webhookCalls.messageId')
    .execute()
  return rows.map((row) => ({ ...row, trigger: row.trigger as WebhookTrigger }))
}

/** Counts an attempt before it is made. Returns false if the call was deleted or another process has claimed it. */
export async function claimCall(tx: Transaction, call: WebhookCall, nextDueAt: number): Promise<boolean> {
  return changeCall(tx, call, { attempts: call.attempts + 1, dueAt: nextDueAt })
}

/** Postpones a claimed call, unless it was deleted or claimed again in the meantime. */
export async function deferCall(tx: Transaction, call: WebhookCall, dueAt: number): Promise<void> {
  await changeCall(tx, call, { dueAt })
}

async function changeCall(
  tx: Transaction,
  { botId, messageId, attempts }: WebhookCall,
  change: { attempts?: number; dueAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('webhookCalls')
    .set(change)
    .where('botId', '=', botId)
    .where('messageId', '=', messageId)
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a call. Returns false if it was already deleted, for example with its message, or claimed again. */
export async function deleteCall(tx: Transaction, { botId, messageId, attempts }: WebhookCall): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('webhookCalls')
    .where('botId', '=', botId)
    .where('messageId', '=', messageId)
    .where('attempts', '=', attempts)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * How a delivery ended: the bot's server accepted the message, with or without a response to send, or failed, or was not
 * called, because the bot could no longer read the message.
 */
export type DeliveryOutcome = 'answered' | 'accepted' | 'failed' | 'left_out'

/** The result of the last attempt. */
export type DeliveryResult = {
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** The error for the bot's owner; '' if there was none. */
  error: string
}

/** A delivery in the log, with the next attempt of those that wait. */
export type OutgoingDelivery = DeliveryResult & {
  id: number
  botId: number
  messageId: number
  trigger: WebhookTrigger
  startedAt: number
  outcome: DeliveryOutcome | 'waiting'
  attempts: number
  /** The time of the next attempt; null if there is none. */
  dueAt: number | null
}

/** Seconds for which a delivery is in the log. */
const DELIVERY_LIFETIME = 7 * 86_400

/** The maximum number of deliveries of a bot in the log. */
export const MAX_DELIVERIES = 500

/** Records the result of an attempt of a call that will be repeated. */
export async function saveDeliveryAttempt(tx: Transaction, call: WebhookCall, result: DeliveryResult): Promise<void> {
  await changeDelivery(tx, call, result)
}

/** Records how the delivery of a call ended, and deletes the bot's oldest deliveries beyond the limit. */
export async function endDelivery(
  tx: Transaction,
  call: WebhookCall,
  { outcome, ...result }: DeliveryResult & { outcome: DeliveryOutcome },
): Promise<void> {
  await changeDelivery(tx, call, { ...result, outcome, endedAt: tx.now })
  const [last] = await tx.db
    .selectFrom('outgoingDeliveries')
    .select('id')
    .where('botId', '=', call.botId)
    .orderBy('id', 'desc')
    .offset(MAX_DELIVERIES)
    .limit(1)
    .execute()
  if (last === undefined) return
  await tx
    .deleteFrom('outgoingDeliveries')
    .where('botId', '=', call.botId)
    .where('id', '<=', last.id)
    .where('endedAt', 'is not', null)
    .execute()
}

async function changeDelivery(
  tx: Transaction,
  { botId, messageId, attempts }: WebhookCall,
  change: DeliveryResult & { outcome?: DeliveryOutcome; endedAt?: number },
): Promise<void> {
  await tx
    .updateTable('outgoingDeliveries')
    .set({ ...change, attempts })
    .where('botId', '=', botId)
    .where('messageId', '=', messageId)
    .where('endedAt', 'is', null)
    .execute()
}

function deliveriesOf(db: Db, botId: number, now: number) {
  return db
    .selectFrom('outgoingDeliveries as delivery')
    .leftJoin('webhookCalls as call', (join) =>
      join
        .onRef('call.botId', '=', 'delivery.botId')
        .onRef('call.messageId', '=', 'delivery.messageId')
        .on('delivery.endedAt', 'is', null),
    )
    .select(['delivery.id', 'delivery.botId', 'delivery.messageId', 'delivery.trigger', 'startedAt', 'outcome'])
    .select((is) => is.fn.coalesce('call.attempts', 'delivery.attempts').as('attempts'))
    .select(['status', 'error', 'call.dueAt'])
    .where('delivery.botId', '=', botId)
    .where('delivery.startedAt', '>', now - DELIVERY_LIFETIME)
}

/** Returns up to `most` deliveries of the bot, the newest first; only those before the delivery `before`, if it is set. */
export async function findDeliveries(
  db: Db,
  botId: number,
  { before, most, now }: { before: number | null; most: number; now: number },
): Promise<OutgoingDelivery[]> {
  const rows = await deliveriesOf(db, botId, now)
    .$if(before !== null, (query) => query.where('delivery.id', '<', before))
    .orderBy('delivery.id', 'desc')
    .limit(most)
    .execute()
  return rows.map(toDelivery)
}

export async function findDelivery(db: Db, botId: number, id: number, now: number): Promise<OutgoingDelivery | null> {
  const row = await deliveriesOf(db, botId, now).where('delivery.id', '=', id).executeTakeFirst()
  return row === undefined ? null : toDelivery(row)
}

type DeliveryRow = Omit<OutgoingDelivery, 'trigger' | 'outcome'> & { trigger: string; outcome: string }

const toDelivery = (row: DeliveryRow): OutgoingDelivery => ({
  ...row,
  trigger: row.trigger as WebhookTrigger,
  outcome: row.outcome as OutgoingDelivery['outcome'],
})

/** The maximum number of deliveries that one transaction deletes. */
const DELETED_AT_ONCE = 1000

/** Deletes a batch of old deliveries from the log; returns true if there may be more. */
export async function deleteOldOutgoingDeliveries(tx: Transaction): Promise<boolean> {
  const old = await tx.db
    .selectFrom('outgoingDeliveries')
    .select('id')
    .where('startedAt', '<=', tx.now - DELIVERY_LIFETIME)
    .where('endedAt', 'is not', null)
    .limit(DELETED_AT_ONCE)
    .execute()
  if (old.length === 0) return false
  const ids = JSON.stringify(old.map(({ id }) => id))
  await tx.deleteFrom('outgoingDeliveries').where('id', 'in', idsIn(tx.db.dialect, ids)).execute()
  return old.length === DELETED_AT_ONCE
}
