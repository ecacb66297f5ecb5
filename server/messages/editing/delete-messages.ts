import { z } from 'zod'
import { invalidChannelId, requireReadableChannel } from '#channels/access.ts'
import { normalizeTopic, topicKey } from '#channels/topic.ts'
import { type Viewer, viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { deletionProblem } from '#rules/permissions.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  hasProtectedHistory,
  invalidMessage,
  type MessagesQuery,
  messagesOfTopic,
  requireChangeableMessage,
} from '../access.ts'
import { type ChannelOrDirect, deletionEvent, findAudienceOfEachMessage, findMessageAudienceIds } from '../events.ts'
import { keepHeldMessages } from '../legal-holds.ts'
import type { Message } from '../message.ts'
import { prepareClaimRelease } from '../uploads/claims.ts'
import { lockMessage } from './edit-rows.ts'

const mayNotDelete = refusal('BAD_REQUEST', 400, "You don't have permission to delete this message")
const tooLateToDelete = refusal('BAD_REQUEST', 400, 'The time limit for deleting this message has passed')

async function requireMayDelete(viewer: Viewer, message: Message): Promise<void> {
  const deletesAny = await viewer.has('can_delete_any_message_group')
  const may = {
    deletesAny,
    isOwn: deletesAny || (await isOwn(viewer, message)),
    deletesOwn: await viewer.has('can_delete_own_message_group'),
    limit: viewer.actor.realm.settings.message_content_delete_limit_seconds,
  }
  const problem = deletionProblem(message, may, viewer.now)
  if (problem !== null) throw problem === 'too-late' ? tooLateToDelete() : mayNotDelete()
}

/** Returns true for messages from the actor and from the actor's bots. */
async function isOwn({ db, actor }: Viewer, message: Message): Promise<boolean> {
  if (message.senderId === actor.id) return true
  const sender = await findUser(db, message.senderId)
  return sender?.botOwnerId === actor.id
}

type DeletedMessage = Pick<Message, 'id' | 'topic'>

/**
 * Deletes messages of one conversation with everything that belongs to them, and emits one event for each topic. Does
 * not check permissions. The caller must have locked the messages and pass them in ascending order of ids. The user who
 * deletes them, if any, gets the events without a subscription, too.
 */
export async function deleteMessages(
  tx: Transaction,
  realmId: number,
  messages: readonly DeletedMessage[],
  conversation: ChannelOrDirect,
  actorId: number | null = null,
): Promise<void> {
  if (messages.length === 0) return
  const ids = messages.map(({ id }) => id)
  await keepHeldMessages(tx, realmId, ids)
  const deletions = await groupByEvent(tx, messages, conversation)
  const releaseAttachments = await prepareClaimRelease(tx, ids)
  await tx.deleteFrom('userMessages').where('messageId', 'in', ids).execute()
  await tx.deleteFrom('messages').where('id', 'in', ids).execute()
  const others = actorId === null ? [] : [actorId]
  for (const { deleted, audience } of deletions)
    tx.emit(realmId, eventOf(deleted, conversation), new Set([...audience, ...others]))
  await releaseAttachments()
}

/** Groups the messages by event. Messages of one topic with the same audience share an event. */
async function groupByEvent(tx: Transaction, messages: readonly DeletedMessage[], conversation: ChannelOrDirect) {
  const { channel } = conversation
  if (channel === null || !hasProtectedHistory(channel)) {
    const ids = messages.map(({ id }) => id)
    const audience = await findMessageAudienceIds(tx, ids, conversation)
    return groupByTopic(messages).map((deleted) => ({ deleted, audience }))
  }
  const audienceByMessage = await findAudienceOfEachMessage(
    tx,
    messages.map(({ id }) => id),
    channel,
  )
  return groupByTopic(messages).flatMap((inTopic) => {
    const withSameAudience = Map.groupBy(inTopic, ({ id }) => (audienceByMessage.get(id) ?? []).join())
    return [...withSameAudience.values()].map((deleted) => ({
      deleted,
      audience: audienceByMessage.get((deleted[0] as DeletedMessage).id) ?? [],
    }))
  })
}

const groupByTopic = (messages: readonly DeletedMessage[]): DeletedMessage[][] => [
  ...Map.groupBy(messages, ({ topic }) => topicKey(topic)).values(),
]

function eventOf(deleted: readonly DeletedMessage[], { channel }: ChannelOrDirect) {
  const ids = deleted.map(({ id }) => id)
  const topic = deleted.at(-1)?.topic ?? ''
  return deletionEvent(ids, channel === null ? null : { channelId: channel.id, topic })
}

/** Deletes the message for all users, with its reactions and flags. */
export async function deleteMessage(tx: Transaction, actor: Actor, messageId: number): Promise<void> {
  await lockMessage(tx, messageId)
  const viewer = viewerOf(tx.db, actor, tx.now)
  const { message, conversation } = await requireChangeableMessage(viewer, messageId)
  await requireMayDelete(viewer, message)
  await deleteMessages(tx, actor.realmId, [message], conversation, actor.id)
  if (await isOwn(viewer, message)) return
  const channelId = conversation.channel?.id ?? null
  await recordAudit(tx, actor.realmId, 'message_deleted', { targetId: message.senderId, channel_id: channelId })
}

/**
 * The maximum number of messages that one transaction deletes. Other writes can run between two of these transactions.
 */
const TOPIC_BATCH = 200

/**
 * Deletes messages of the topic for all users: the newest ones that the actor may read, at most `TOPIC_BATCH`. Returns
 * true if there may be more.
 */
async function deleteFromTopic(tx: Transaction, actor: Actor, channelId: number, topic: string): Promise<boolean> {
  requireAdministrator(actor)
  const channel = await requireReadableChannel(viewerOf(tx.db, actor, tx.now), channelId)
  if (channel.archivedAt !== null) throw invalidChannelId()
  const inTopic = messagesOfTopic(tx.db, actor, channel, topic)
  const newest = await findNewestIds(inTopic)
  const isMore = newest.length === TOPIC_BATCH
  const messages = await lockMessages(inTopic, newest)
  await deleteMessages(tx, actor.realmId, messages, { channel }, actor.id)
  if (messages.length > 0)
    await recordAudit(tx, actor.realmId, 'topic_deleted', { targetId: channel.id, messages: messages.length })
  return isMore
}

async function findNewestIds(inTopic: MessagesQuery): Promise<number[]> {
  const rows = await inTopic.select('id').orderBy('id', 'desc').limit(TOPIC_BATCH).execute()
  return rows.map((row) => row.id)
}

/**
 * Locks the messages that are still in the topic. It locks them in ascending order, like all transactions that lock
 * messages.
 */
async function lockMessages(inTopic: MessagesQuery, ids: readonly number[]): Promise<{ id: number; topic: string }[]> {
  return inTopic.select(['id', 'topic']).where('id', 'in', ids).orderBy('id').forUpdate().execute()
}

export const removeMessage = endpoint({
  route: 'DELETE /messages/{message_id}',
  summary: 'Delete a message for all users',
  who: 'user',
  refuses: [invalidMessage, mayNotDelete, tooLateToDelete],
  async handle({ transaction, actor }, params) {
    await transaction((tx) => deleteMessage(tx, actor, params.message_id))
    return {}
  },
})

/** The maximum number of messages that one request deletes, so that clients do not time out. */
const MAX_MESSAGES = 5000

export const removeTopic = endpoint({
  route: 'POST /streams/{stream_id}/delete_topic',
  summary: 'Delete a topic with all its messages',
  description: `Deletes up to ${MAX_MESSAGES} of the newest messages that you may read. Repeat the request until \`complete\` is true.`,
  who: 'user',
  params: { topic_name: z.string() },
  returns: { complete: z.boolean() },
  refuses: [mustBeAdministrator, invalidChannelId],
  async handle({ transaction, actor }, { stream_id, topic_name }) {
    const topic = normalizeTopic(topic_name)
    for (let deleted = 0; deleted < MAX_MESSAGES; deleted += TOPIC_BATCH) {
      const isMore = await transaction((tx) => deleteFromTopic(tx, actor, stream_id, topic))
      if (!isMore) return { complete: true }
    }
    return { complete: false }
  },
})
