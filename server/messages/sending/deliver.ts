import { sql } from 'kysely'
import { findMuterIds } from '#people/mutes/queries.ts'
import { integersIn } from '#storage/json-list.ts'
import { defineUnawaitedWrite } from '#storage/prepared-query.ts'
import type { Transaction } from '#storage/storage.ts'
import { contentFlags, type Mentions } from '../content/mentions.ts'
import { Flag } from '../flags/flag.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** The ids of a message's recipients, grouped by the flags that the message has for them. */
export type RecipientsByFlags = ReadonlyMap<number, readonly number[]>

type Delivery = {
  messageId: number
  senderId: number
  isReadBySender: boolean
  mentions: Mentions
  isUnreadFor?: PreparedMessage['isUnreadFor'] | undefined
}

const saveRecords = defineUnawaitedWrite('userMessages', (tx, userIds: string, messageId: number, flags: number) =>
  tx
    .insertInto('userMessages')
    .columns(['userId', 'messageId', 'flags'])
    .expression(
      integersIn(tx.db, userIds).select([
        'list.value as userId',
        sql<number>`cast(${messageId} as bigint)`.as('messageId'),
        sql<number>`cast(${flags} as bigint)`.as('flags'),
      ]),
    ),
)

/**
 * Saves records of the message for these users, who must be distinct. Runs one statement for each combination of flags.
 */
export async function deliver(
  tx: Transaction,
  userIds: readonly number[],
  delivery: Delivery,
): Promise<RecipientsByFlags> {
  const muterIds = await findMuterIds(tx.db, delivery.senderId)
  const recipients = new Map<number, number[]>()
  for (const userId of userIds) {
    const flags = flagsOf(delivery, muterIds, userId)
    const group = recipients.get(flags)
    if (group === undefined) recipients.set(flags, [userId])
    else group.push(userId)
  }
  for (const [flags, group] of recipients) saveRecords(tx, JSON.stringify(group), delivery.messageId, flags)
  return recipients
}

/** Returns all recipients, regardless of their flags. */
export function recipientIdsOf(recipients: RecipientsByFlags): ReadonlySet<number> {
  return new Set([...recipients.values()].flat())
}

/**
 * Returns the user's flags on the message. The message is read for a sender with `isReadBySender`, for users who mute
 * the sender, and for users for whom `isUnreadFor` returns false.
 */
function flagsOf(
  { senderId, isReadBySender, mentions, isUnreadFor }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = contentFlags(mentions, userId)
  const isRead = (userId === senderId && isReadBySender) || muterIds.has(userId)
  const isUnread = isUnreadFor?.(userId) ?? true
  return isRead || !isUnread ? flags | Flag.read : flags
}
