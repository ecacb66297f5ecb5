import { sql } from 'kysely'
import type { Actor } from '../../people/users/user.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import { lockMessageIds } from '../../platform/storage/counters.ts'
import type { Db, Transaction } from '../../platform/storage/storage.ts'
import { requireMessage } from '../access.ts'
import { holdMessages } from '../editing/edit-rows.ts'
import { flagsEvent, type MessageDetail } from '../events.ts'
import { type EditableFlag, editableFlags, Flag, isFlagName, MENTION_FLAGS } from './flag.ts'
import { HISTORICAL_FLAGS, saveHistoricalRecords } from './historical-records.ts'
import { addFlag } from './mark-read.ts'
import { advanceReadMark, containerOf, lowerReadMark } from './read-marks.ts'

export const invalidFlag = refusal('BAD_REQUEST', 400, "Invalid flag: '{flag}'")
export const flagNotEditable = refusal('BAD_REQUEST', 400, "Flag not editable: '{flag}'")

export const invalidFlagOperation = refusal('BAD_REQUEST', 400, "Invalid message flag operation: '{op}'")

/** Whether the flag is to be set or taken away. */
export function requireFlagOperation(op: string): FlagsRequest['op'] {
  if (op === 'add' || op === 'remove') return op
  throw invalidFlagOperation({ op })
}

/** A flag that people may set; refused when it is none or not theirs to set. */
export function requireEditableFlag(name: string): EditableFlag {
  const flag = editableFlags.find((each) => each === name)
  if (flag !== undefined) return flag
  throw isFlagName(name) || name === 'wildcard_mentioned'
    ? flagNotEditable({ flag: name })
    : invalidFlag({ flag: name })
}

export type FlagsRequest = { messageIds: readonly number[]; op: 'add' | 'remove'; flag: EditableFlag }

export type FlagsOutcome = {
  messageIds: number[]
  /** How many of them were not so before. */
  changedCount: number
  /** Channels whose messages stay read, since the actor is not subscribed to them. */
  ignoredChannelIds: number[]
}

/**
 * Sets or takes away one flag. A message that the actor may read and never received gets a record, except that reading
 * it changes nothing; one that they may not read refuses the whole.
 */
export async function updateFlags(tx: Transaction, actor: Actor, request: FlagsRequest): Promise<FlagsOutcome> {
  const { op, flag } = request
  const asked = new Set(request.messageIds)
  const isUnreading = flag === 'read' && op === 'remove'
  if (isUnreading) await holdSubscriptions(tx, [...asked])
  const found = await findRecords(tx.db, actor.id, [...asked])
  const isIgnored = (record: Found) => isUnreading && record.channelId !== null && !record.isSubscribed
  const ignored = found.filter(isIgnored)
  for (const { id, flags } of ignored) if (flags === null) await requireMessage(tx.db, actor, id, tx.now)
  const given = found.filter((record) => !isIgnored(record))
  const unknown = asked.difference(new Set(found.map((record) => record.id)))
  const records = needsRecords(request) ? await withRecords(tx, actor, given, unknown) : given

  const bit = Flag[flag]
  const changed = records.filter((record) => record.flags !== null && Boolean(record.flags & bit) !== (op === 'add'))
  const changedIds = changed.map((record) => record.id)
  if (changedIds.length > 0) {
    await (op === 'add' ? addFlag : dropFlag)(tx, actor.id, changedIds, bit)
    if (flag === 'read') await moveReadMarks(tx, actor.id, op, changed)
    const details = isUnreading
      ? Object.fromEntries(changed.map((record) => [record.id, detailOf(record, actor.id)]))
      : undefined
    tx.emit(actor.realmId, flagsEvent(op, flag, changedIds, details), [actor.id])
  }
  return {
    messageIds: records.filter((record) => record.flags !== null).map((record) => record.id),
    changedCount: changedIds.length,
    ignoredChannelIds: [...new Set(ignored.map((record) => record.channelId as number))],
  }
}

/** Whoever is leaving the channel of one of the messages has left, or stays until the transaction ends. */
async function holdSubscriptions(tx: Transaction, messageIds: readonly number[]): Promise<void> {
  // First the messages, as whatever changes a message does, so that nobody waits for each other.
  await holdMessages(tx, messageIds)
  await lockMessageIds(tx)
}

const needsRecords = ({ op, flag }: FlagsRequest) => (flag === 'read' ? op === 'remove' : op === 'add')

type Found = {
  id: number
  channelId: number | null
  conversationId: number | null
  topic: string
  participantsKey: string | null
  flags: number | null
  isSubscribed: boolean
  isArchived: boolean
}

async function findRecords(db: Db, userId: number, messageIds: readonly number[]): Promise<Found[]> {
  const rows = await db
    .selectFrom('messages')
    .leftJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    .leftJoin('subscriptions', (join) =>
      join
        .onRef('subscriptions.channelId', '=', 'messages.channelId')
        .on('subscriptions.userId', '=', userId)
        .on('subscriptions.unsubscribedAt', 'is', null),
    )
    .leftJoin('channels', 'channels.id', 'messages.channelId')
    .leftJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select([
      'messages.id',
      'messages.channelId',
      'messages.conversationId',
      'messages.topic',
      'channels.archivedAt',
      'conversations.participantsKey',
      'userMessages.flags',
      'subscriptions.userId as subscriberId',
    ])
    .where('messages.id', 'in', messageIds)
    .orderBy('messages.id')
    .execute()
  return rows.map(({ subscriberId, archivedAt, ...row }) => ({
    ...row,
    isSubscribed: subscriberId !== null,
    isArchived: archivedAt !== null,
  }))
}

/** Those that have no record get one. Refused when one may not be read, or is not even there. */
async function withRecords(
  tx: Transaction,
  actor: Actor,
  found: readonly Found[],
  unknown: ReadonlySet<number>,
): Promise<Found[]> {
  const missing = found.filter((record) => record.flags === null).map((record) => record.id)
  await holdMessages(tx, missing)
  for (const id of [...missing, ...unknown]) await requireMessage(tx.db, actor, id, tx.now)
  await saveHistoricalRecords(tx, actor.id, missing)
  return found.map((record) => ({ ...record, flags: record.flags ?? HISTORICAL_FLAGS }))
}

/** In ascending order of their ids, so that the first one in each place is the lowest. */
async function moveReadMarks(tx: Transaction, userId: number, op: 'add' | 'remove', changed: Found[]): Promise<void> {
  const firsts = new Map(changed.toReversed().map((record) => [JSON.stringify(containerOf(record)), record]))
  for (const record of firsts.values()) {
    if (op === 'add') await advanceReadMark(tx, userId, containerOf(record))
    else await lowerReadMark(tx, userId, containerOf(record), record.id)
  }
}

async function dropFlag(tx: Transaction, userId: number, messageIds: readonly number[], flag: number): Promise<void> {
  await tx
    .updateTable('userMessages')
    .set({ flags: sql<number>`"flags" & ${~flag}` })
    .where('userId', '=', userId)
    .where('messageId', 'in', messageIds)
    .execute()
}

function detailOf({ channelId, topic, participantsKey, flags, isArchived }: Found, userId: number): MessageDetail {
  const mentioned = (flags ?? 0) & MENTION_FLAGS ? { mentioned: true } : {}
  const archived = isArchived ? ({ is_archived: true } as const) : {}
  if (channelId !== null) return { type: 'stream', stream_id: channelId, topic, ...mentioned, ...archived }
  const others = (participantsKey ?? '')
    .split(',')
    .map(Number)
    .filter((id) => id !== userId)
  return { type: 'private', user_ids: others, ...mentioned }
}
