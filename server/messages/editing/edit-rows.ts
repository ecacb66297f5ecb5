import { sql } from 'kysely'
import { topicKey } from '#channels/topic.ts'
import { RENDERER_VERSION } from '#markdown/render.ts'
import { lockMessageIds } from '#storage/counters.ts'
import { batches } from '#storage/sql.ts'
import type { Transaction } from '#storage/storage.ts'
import { MENTION_FLAGS, TEXT_FLAGS } from '../flags.ts'
import { contentFlags, type Mentions } from '../mentions.ts'
import {
  type EditEntry,
  isMove,
  MAX_UNTRIMMED_BYTES,
  type Message,
  messageFeaturesOf,
  parseHistory,
  trimHistory,
} from '../message.ts'
import { saveTokens, saveTopicTokens } from '../search/save-tokens.ts'
import type { RecipientsByFlags } from '../sending/recipients.ts'
import type { Move } from './edit-access.ts'
import type { NewContent } from './prepare-edit.ts'

/** Locks the message against changes by other transactions. */
export async function lockMessage(tx: Transaction, messageId: number): Promise<void> {
  await tx.db.selectFrom('messages').select('id').where('id', '=', messageId).forUpdate().execute()
}

/** Prevents the messages from being deleted until the transaction ends. */
export async function lockAgainstDeletion(tx: Transaction, messageIds: readonly number[]): Promise<void> {
  for (const batch of batches(messageIds))
    await tx.db.selectFrom('messages').select('id').where('id', 'in', batch).orderBy('id').forKeyShare().execute()
}

export async function saveContent(
  tx: Transaction,
  message: Pick<Message, 'id' | 'topic'>,
  { content, rendering: { html } }: NewContent,
  hasAttachment: boolean,
): Promise<void> {
  await saveRendering(tx, message, html, hasAttachment, { content, lastEditedAt: tx.now })
}

/** Saves new HTML, and updates the message features and the search index accordingly. */
export async function saveRendering(
  tx: Transaction,
  { id, topic }: Pick<Message, 'id' | 'topic'>,
  html: string,
  hasAttachment: boolean,
  edited: Partial<Pick<Message, 'content' | 'lastEditedAt'>> = {},
): Promise<void> {
  const features = messageFeaturesOf(html, hasAttachment)
  const rendered = { renderedContent: html, renderedVersion: RENDERER_VERSION, holdings: features }
  await tx
    .updateTable('messages')
    .set({ ...edited, ...rendered })
    .where('id', '=', id)
    .execute()
  await saveTokens(tx, [{ id, topic, renderedContent: html }])
}

export async function saveMovedTopic(
  tx: Transaction,
  messageIds: readonly number[],
  { from, to }: Pick<Move, 'from' | 'to'>,
): Promise<void> {
  const place = { channelId: to.channel.id, topic: to.topic, topicKey: topicKey(to.topic) }
  for (const batch of batches(messageIds))
    await tx.updateTable('messages').set(place).where('id', 'in', batch).execute()
  await saveTopicTokens(tx, messageIds, { from: from.topic, to: to.topic })
}

/**
 * Adds the entry to the history of each message. If a history exceeds the limits, its oldest entries are merged. An
 * entry about a move also sets the time of the last move.
 */
export async function saveHistoryEntry(
  tx: Transaction,
  messageIds: readonly number[],
  entry: EditEntry,
): Promise<void> {
  const text = JSON.stringify(entry)
  const extended = sql<string>`'[' || cast(${text} as text) || ',' || substr("editHistory", 2)`
  const editHistory = sql<string>`case when "editHistory" is null then cast(${`[${text}]`} as text) else ${extended} end`
  const moved = isMove(entry) ? { lastMovedAt: tx.now } : {}
  for (const batch of batches(messageIds)) {
    await tx
      .updateTable('messages')
      .set({ editHistory, ...moved })
      .where('id', 'in', batch)
      .execute()
    await trimHistories(tx, batch)
  }
}

async function trimHistories(tx: Transaction, messageIds: readonly number[]): Promise<void> {
  const long = await tx.db
    .selectFrom('messages')
    .select(['id', 'editHistory'])
    .where('id', 'in', messageIds)
    .where(sql<boolean>`octet_length("editHistory") > ${sql.lit(MAX_UNTRIMMED_BYTES)}`)
    .execute()
  for (const { id, editHistory } of long) {
    const entries = parseHistory(editHistory)
    const trimmed = trimHistory(entries)
    if (trimmed === entries) continue
    await tx
      .updateTable('messages')
      .set({ editHistory: JSON.stringify(trimmed) })
      .where('id', '=', id)
      .execute()
  }
}

/**
 * Updates all users' flags for mentions and alert words according to the new text. Returns the newly mentioned users by
 * their flags.
 */
export async function saveMentions(tx: Transaction, messageId: number, mentions: Mentions): Promise<RecipientsByFlags> {
  const records = await tx.db.selectFrom('userMessages').selectAll().where('messageId', '=', messageId).execute()
  const changed = records
    .map(({ userId, flags }) => ({ userId, flags, from: flags & TEXT_FLAGS, to: contentFlags(mentions, userId) }))
    .filter(({ from, to }) => from !== to)
  // This lock is taken before the locks of the records. Users who leave channels take the locks in the same order,
  // which prevents deadlocks.
  if (changed.length > 0) await lockMessageIds(tx)
  for (const [to, group] of Map.groupBy(changed, ({ to }) => to)) {
    const userIds = group.map(({ userId }) => userId)
    for (const batch of batches(userIds)) {
      await tx
        .updateTable('userMessages')
        // Another transaction may be starring or reading the message at this moment.
        .set({ flags: sql<number>`("flags" & ${~TEXT_FLAGS}) | ${to}` })
        .where('messageId', '=', messageId)
        .where('userId', 'in', batch)
        .execute()
    }
  }
  const mentioned = changed.filter(({ from, to }) => (from & MENTION_FLAGS) === 0 && (to & MENTION_FLAGS) !== 0)
  const byFlags = Map.groupBy(mentioned, ({ flags, to }) => (flags & ~TEXT_FLAGS) | to)
  return new Map([...byFlags].map(([flags, group]) => [flags, group.map(({ userId }) => userId)]))
}
