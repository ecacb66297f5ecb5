import { sql } from 'kysely'
import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import type { Actor } from '#people/users.ts'
import { lockMessageIds } from '#storage/counters.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { invalidMessage, requireMessage } from './access.ts'
import { lockAgainstDeletion } from './editing/edit-rows.ts'
import { flagsEvent, type MessageDetail } from './events.ts'
import {
  type EditableFlag,
  editableFlags,
  Flag,
  HISTORICAL_FLAGS,
  isFlagName,
  MENTION_FLAGS,
  saveHistoricalRecords,
} from './flags.ts'
import { addFlag } from './mark-read.ts'
import { muted } from './narrow/is-operators.ts'
import { matchesNothing } from './narrow.ts'
import { advanceReadMark, containerOf, lowerReadMark } from './unread.ts'

// Adding and removing flags of single messages, such as starring and marking as unread. A change that creates records
// is refused if the actor may not read one of the messages; any other change ignores messages without a record.

export type FlagsRequest = { messageIds: readonly number[]; op: 'add' | 'remove'; flag: EditableFlag }

export type FlagsOutcome = {
  messageIds: number[]
  /** The number of messages whose flags changed. */
  changedCount: number
  /** Channels whose messages stay read because the actor is not subscribed. */
  ignoredChannelIds: number[]
}

export const invalidFlag = refusal('BAD_REQUEST', 400, "Invalid flag: '{flag}'", { field: 'flag' })
export const flagNotEditable = refusal('BAD_REQUEST', 400, "Flag not editable: '{flag}'", { field: 'flag' })

export const invalidFlagOperation = refusal('BAD_REQUEST', 400, "Invalid message flag operation: '{op}'", {
  field: 'op',
})

export function requireFlagOperation(op: string): FlagsRequest['op'] {
  if (op === 'add' || op === 'remove') return op
  throw invalidFlagOperation({ op })
}

/** Returns the flag if users may change it. Refuses unknown flags, and flags that only the server sets. */
export function requireEditableFlag(name: string): EditableFlag {
  const flag = editableFlags.find((each) => each === name)
  if (flag !== undefined) return flag
  throw isFlagName(name) || name === 'wildcard_mentioned'
    ? flagNotEditable({ flag: name })
    : invalidFlag({ flag: name })
}

/**
 * Adds or removes one flag. Starring, collapsing and marking as unread create records for messages that the actor never
 * received. They are refused if the actor may not read one of the messages. Other changes ignore messages without a
 * record.
 */
export async function updateFlags(tx: Transaction, actor: Actor, request: FlagsRequest): Promise<FlagsOutcome> {
  const { op, flag } = request
  const requestedIds = new Set(request.messageIds)
  const isUnreading = flag === 'read' && op === 'remove'
  if (isUnreading) await lockSubscriptions(tx, [...requestedIds])
  const found = await findRecords(tx.db, actor, [...requestedIds], isUnreading)
  const isIgnored = (record: FoundRecord) => isUnreading && record.channelId !== null && !record.isSubscribed
  const ignored = found.filter(isIgnored)
  const viewer = viewerOf(tx.db, actor, tx.now)
  for (const { id, flags } of ignored) if (flags === null) await requireMessage(viewer, id)
  const considered = found.filter((record) => !isIgnored(record))
  const unknownIds = requestedIds.difference(new Set(found.map((record) => record.id)))
  const records = createsRecords(request) ? await createMissingRecords(tx, actor, considered, unknownIds) : considered

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

/**
 * Waits for users who are leaving a channel of these messages, and keeps others from leaving until the transaction
 * ends.
 */
async function lockSubscriptions(tx: Transaction, messageIds: readonly number[]): Promise<void> {
  // Every change of a message locks the message first. Keeping this order avoids deadlocks.
  await lockAgainstDeletion(tx, messageIds)
  await lockMessageIds(tx)
}

const createsRecords = ({ op, flag }: FlagsRequest) => (flag === 'read' ? op === 'remove' : op === 'add')

type FoundRecord = {
  id: number
  channelId: number | null
  conversationId: number | null
  topic: string
  participantsKey: string | null
  flags: number | null
  isSubscribed: boolean
  isArchived: boolean
  isMuted: boolean
}

/** Looks up which messages are muted only for requests that mark them as unread. */
async function findRecords(
  db: Db,
  actor: Actor,
  messageIds: readonly number[],
  isUnreading: boolean,
): Promise<FoundRecord[]> {
  const userId = actor.id
  const isMuted = isUnreading ? muted(actor) : matchesNothing
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
      sql<number>`case when ${isMuted} then 1 else 0 end`.as('isMuted'),
    ])
    .where('messages.id', 'in', messageIds)
    .orderBy('messages.id')
    .execute()
  return rows.map(({ subscriberId, archivedAt, isMuted, ...row }) => ({
    ...row,
    isMuted: isMuted === 1,
    isSubscribed: subscriberId !== null,
    isArchived: archivedAt !== null,
  }))
}

/** Creates the missing records. Refuses messages that do not exist or that the actor may not read. */
async function createMissingRecords(
  tx: Transaction,
  actor: Actor,
  found: readonly FoundRecord[],
  unknownIds: ReadonlySet<number>,
): Promise<FoundRecord[]> {
  const missingIds = found.filter((record) => record.flags === null).map((record) => record.id)
  await lockAgainstDeletion(tx, missingIds)
  const viewer = viewerOf(tx.db, actor, tx.now)
  for (const id of [...missingIds, ...unknownIds]) await requireMessage(viewer, id)
  await saveHistoricalRecords(tx, actor.id, missingIds)
  return found.map((record) => ({ ...record, flags: record.flags ?? HISTORICAL_FLAGS }))
}

/**
 * Moves the read marks of the channels and conversations whose messages changed. `changed` must be in ascending order,
 * so that the first message of each channel or conversation has the lowest id.
 */
async function moveReadMarks(
  tx: Transaction,
  userId: number,
  op: 'add' | 'remove',
  changed: FoundRecord[],
): Promise<void> {
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

function detailOf(
  { channelId, topic, participantsKey, flags, isArchived, isMuted }: FoundRecord,
  userId: number,
): MessageDetail {
  const mentioned = (flags ?? 0) & MENTION_FLAGS ? { mentioned: true } : {}
  const archived = isArchived ? ({ is_archived: true } as const) : {}
  if (channelId !== null) {
    const conversation = { type: 'stream', stream_id: channelId, topic, unmuted_stream_msg: !isMuted } as const
    return { ...conversation, ...mentioned, ...archived }
  }
  const others = (participantsKey ?? '')
    .split(',')
    .map(Number)
    .filter((id) => id !== userId)
  return { type: 'private', user_ids: others, ...mentioned }
}

export const postFlags = endpoint({
  route: 'POST /messages/flags',
  summary: 'Add or remove a personal flag on messages',
  description:
    'The request fails if a message does not exist or you may not read it, except that `read` ignores such messages.',
  who: 'user',
  params: {
    messages: z.array(z.int()),
    op: z.string().meta({ enum: ['add', 'remove'] }),
    flag: z.string().describe('`read`, `starred` or `collapsed`.'),
  },
  returns: {
    messages: z.array(z.int()).describe('The messages that now have the flag, or lack it after `remove`.'),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe('Channels that you are not subscribed to. Their messages cannot be marked as unread.'),
  },
  refuses: [invalidMessage, invalidFlagOperation, invalidFlag, flagNotEditable],
  async handle({ transaction, actor }, { messages, op, flag }) {
    const request = { messageIds: messages, op: requireFlagOperation(op), flag: requireEditableFlag(flag) }
    const { messageIds, ignoredChannelIds } = await transaction((tx) => updateFlags(tx, actor, request))
    return { messages: messageIds, ignored_because_not_subscribed_channels: ignoredChannelIds }
  },
})
