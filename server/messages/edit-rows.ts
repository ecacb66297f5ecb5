import { sql } from 'kysely'
import { RENDERER_VERSION } from '../markdown/render.ts'
import type { Transaction } from '../storage/storage.ts'
import { batches } from './batches.ts'
import { type EditEntry, isMove } from './edit-history.ts'
import { MENTION_FLAGS } from './flag.ts'
import { type Mentions, mentionFlags } from './mentions.ts'
import type { Move } from './move.ts'
import type { NewContent } from './prepare-edit.ts'
import { topicKey } from './topic.ts'

/** Lets no other transaction change the message until this one ends. */
export async function lockMessage(tx: Transaction, messageId: number): Promise<void> {
  await tx.db.selectFrom('messages').select('id').where('id', '=', messageId).forUpdate().execute()
}

export async function saveContent(
  tx: Transaction,
  messageId: number,
  { content, rendering }: NewContent,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ content, renderedContent: rendering.html, renderedVersion: RENDERER_VERSION, lastEditedAt: tx.now })
    .where('id', '=', messageId)
    .execute()
}

export async function savePlace(
  tx: Transaction,
  messageIds: readonly number[],
  { to }: Pick<Move, 'to'>,
): Promise<void> {
  const place = { channelId: to.channel.id, topic: to.topic, topicKey: topicKey(to.topic) }
  for (const batch of batches(messageIds))
    await tx.updateTable('messages').set(place).where('id', 'in', batch).execute()
}

/** Puts the entry before those that each message has, and says when it was moved if that is what the entry is about. */
export async function saveEntry(tx: Transaction, messageIds: readonly number[], entry: EditEntry): Promise<void> {
  const text = JSON.stringify(entry)
  const longer = sql<string>`'[' || cast(${text} as text) || ',' || substr("editHistory", 2)`
  const editHistory = sql<string>`case when "editHistory" is null then cast(${`[${text}]`} as text) else ${longer} end`
  const moved = isMove(entry) ? { lastMovedAt: tx.now } : {}
  for (const batch of batches(messageIds)) {
    await tx
      .updateTable('messages')
      .set({ editHistory, ...moved })
      .where('id', 'in', batch)
      .execute()
  }
}

/** Makes everybody's flags say whom the text mentions now. */
export async function saveMentions(tx: Transaction, messageId: number, mentions: Mentions): Promise<void> {
  const records = await tx.db.selectFrom('userMessages').selectAll().where('messageId', '=', messageId).execute()
  const changed = records
    .map(({ userId, flags }) => ({ userId, flags, to: (flags & ~MENTION_FLAGS) | mentionFlags(mentions, userId) }))
    .filter(({ flags, to }) => flags !== to)
  for (const [flags, holders] of Map.groupBy(changed, ({ to }) => to)) {
    const userIds = holders.map(({ userId }) => userId)
    for (const batch of batches(userIds)) {
      await tx
        .updateTable('userMessages')
        .set({ flags })
        .where('messageId', '=', messageId)
        .where('userId', 'in', batch)
        .execute()
    }
  }
}
