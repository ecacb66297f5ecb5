import { sql } from 'kysely'
import { findMuterIds } from '../../people/mutes/queries.ts'
import { integersIn } from '../../platform/storage/json-list.ts'
import { defineUnawaitedWrite } from '../../platform/storage/prepared-query.ts'
import type { Transaction } from '../../platform/storage/storage.ts'
import { type Mentions, textFlags } from '../content/mentions.ts'
import { Flag } from '../flags/flag.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** Who received a message, by the flags with which they did. */
export type RecipientsByFlags = ReadonlyMap<number, readonly number[]>

type Delivery = {
  messageId: number
  senderId: number
  isReadBySender: boolean
  mentions: Mentions
  isNewsTo?: PreparedMessage['isNewsTo'] | undefined
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
 * Hands the message to these people, each of whom is named once: one statement for each set of flags, however many they
 * are.
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
    const holders = recipients.get(flags)
    if (holders === undefined) recipients.set(flags, [userId])
    else holders.push(userId)
  }
  for (const [flags, holders] of recipients) saveRecords(tx, JSON.stringify(holders), delivery.messageId, flags)
  return recipients
}

/** All who received it, whatever their flags. */
export function recipientIdsOf(recipients: RecipientsByFlags): ReadonlySet<number> {
  return new Set([...recipients.values()].flat())
}

/** What comes from somebody whom the receiver mutes is read, and what is no news to them. */
function flagsOf(
  { senderId, isReadBySender, mentions, isNewsTo }: Delivery,
  muterIds: ReadonlySet<number>,
  userId: number,
): number {
  const flags = textFlags(mentions, userId)
  const isRead = (userId === senderId && isReadBySender) || muterIds.has(userId)
  const isNews = isNewsTo?.(userId) ?? true
  return isRead || !isNews ? flags | Flag.read : flags
}
