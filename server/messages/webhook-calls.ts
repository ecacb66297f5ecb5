import { sql } from 'kysely'
import type { Db, Transaction } from '#storage/storage.ts'

// The calls of outgoing webhooks that wait to be made. They are saved in the transaction of the message, so that none is
// lost, or made for a message that was not sent. They are stored here, below the module that makes them.

/** The reason why a message triggers the webhook. */
export type WebhookTrigger = 'mention' | 'direct_message'

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
 * Adds a call with the message for each bot. The calls are due after the commit. Bots that have reached MAX_WAITING get
 * none.
 */
export async function saveWebhookCalls(
  tx: Transaction,
  botIds: readonly number[],
  messageId: number,
  trigger: WebhookTrigger,
): Promise<void> {
  const ready = botIds.length === 0 ? [] : await findReady(tx.db, botIds)
  if (ready.length === 0) return
  const call = { messageId, trigger, attempts: 0, dueAt: tx.now }
  await tx
    .insertInto('webhookCalls')
    .values(ready.map((botId) => ({ botId, ...call })))
    .execute()
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
