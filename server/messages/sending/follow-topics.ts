import { topicKey } from '#channels/topic.ts'
import {
  type AutomaticPolicy,
  automaticPolicy,
  findPolicies,
  isNeverAutomatic,
  setPolicies,
  type TopicRef,
  VisibilityPolicy,
} from '#channels/user-topics.ts'
import { findUser, findUsersById } from '#people/user-queries.ts'
import { type Actor, isBot, type User } from '#people/users.ts'
import { defineQuery } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Author, hasProtectedHistory, isSystemBot } from '../access.ts'
import { Flag } from '../flags.ts'
import type { ChannelTopic, ConversationRef, Message } from '../message.ts'
import type { RecipientsByFlags } from './recipients.ts'

/**
 * Makes the author of a message follow or unmute its topic if the author's settings require it. Call it before the
 * message is saved. Returns the new policy, or null if the policy does not change.
 */
export async function followOnSend(
  tx: Transaction,
  author: Author,
  channelTopic: ChannelTopic,
): Promise<AutomaticPolicy | null> {
  const { user } = author
  if (isSystemBot(author) || isBot(user) || isNeverAutomatic(user.settings, 'start')) return null
  const view = await findView(tx.db, user.id, channelTopic)
  const isStart = view.policy === VisibilityPolicy.inherit && !view.hasMessages
  return follow(tx, user, channelTopic, view, automaticPolicy(user.settings, isStart ? 'start' : 'send', view))
}

/** Like `followOnSend`, for users who participate in a topic without sending to it. */
export async function followOnParticipation(
  tx: Transaction,
  actor: Actor,
  conversation: ConversationRef,
): Promise<void> {
  if (conversation.channel === null || isBot(actor) || isNeverAutomatic(actor.settings, 'participate')) return
  const view = await findView(tx.db, actor.id, conversation)
  await follow(tx, actor, conversation, view, automaticPolicy(actor.settings, 'participate', view))
}

/** Like `followOnSend`, for the sender of a moved message that is now the first one in its topic. */
export async function followOnMove(
  tx: Transaction,
  { id, senderId, realmId }: Message,
  channelTopic: ChannelTopic,
  readerIds: ReadonlySet<number> | null,
): Promise<void> {
  const sender = await findUser(tx.db, senderId)
  if (sender === null || sender.realmId !== realmId || isBot(sender) || sender.deactivatedAt !== null) return
  if (readerIds !== null && !readerIds.has(sender.id)) return
  const view = await findView(tx.db, sender.id, channelTopic, id)
  if (view.hasMessages || view.policy !== VisibilityPolicy.inherit) return
  await follow(tx, sender, channelTopic, view, automaticPolicy(sender.settings, 'start', view))
}

const DIRECT_MENTION_FLAGS = Flag.mentioned | Flag.group_mentioned

/** Makes mentioned users follow the topic if their settings require it, unless they muted it. */
export async function followOnMention(
  tx: Transaction,
  realmId: number,
  channelTopic: ChannelTopic,
  recipients: RecipientsByFlags,
): Promise<void> {
  const mentioned = [...recipients].flatMap(([flags, userIds]) => (flags & DIRECT_MENTION_FLAGS ? userIds : []))
  if (mentioned.length === 0) return
  const users = await findUsersById(tx.db, mentioned)
  const userIds = users
    .filter((user) => !isBot(user) && user.settings.automatically_follow_topics_where_mentioned)
    .map((user) => user.id)
  if (userIds.length === 0) return
  const policies = await findPolicies(tx.db, toTopicRef(channelTopic), userIds)
  const before = userIds
    .map((userId): [number, VisibilityPolicy] => [userId, policies.get(userId) ?? VisibilityPolicy.inherit])
    .filter(([, policy]) => policy !== VisibilityPolicy.muted)
  await setPolicies(tx, realmId, toTopicRef(channelTopic), new Map(before), VisibilityPolicy.followed)
}

/**
 * Returns true if the topic has messages that the user may read. The caller must have checked access to the channel.
 */
export async function hasMessagesFor(db: Db, userId: number, channelTopic: ChannelTopic): Promise<boolean> {
  return (await findView(db, userId, channelTopic)).hasMessages
}

export function toTopicRef({ channel, topic }: ChannelTopic): TopicRef {
  return { channelId: channel.id, topic, topicKey: topicKey(topic) }
}

/** A user's view of a topic. */
type View = {
  policy: VisibilityPolicy
  isChannelMuted: boolean
  /** True if the topic has messages that the user may read, provided that the user has access to the channel. */
  hasMessages: boolean
}

async function follow(
  tx: Transaction,
  { id, realmId }: User,
  channelTopic: ChannelTopic,
  { policy }: View,
  newPolicy: AutomaticPolicy | null,
): Promise<AutomaticPolicy | null> {
  if (newPolicy !== null) await setPolicies(tx, realmId, toTopicRef(channelTopic), new Map([[id, policy]]), newPolicy)
  return newPolicy
}

/** Returns the user's view of the topic. Only messages with ids below `beforeId` count. */
async function findView(
  db: Db,
  userId: number,
  { channel, topic }: ChannelTopic,
  beforeId: number = Number.MAX_SAFE_INTEGER,
): Promise<View> {
  const query = hasProtectedHistory(channel) ? findViewOfReceived : findViewOfAll
  const [row] = await query(db, userId, channel.id, topicKey(topic), beforeId)
  return {
    policy: (row?.policy ?? VisibilityPolicy.inherit) as VisibilityPolicy,
    isChannelMuted: row?.isMuted === 1,
    hasMessages: (row?.messageId ?? null) !== null,
  }
}

type ViewRow = { policy: number | null; isMuted: number | null; messageId: number | null }

type ViewArguments = [userId: number, channelId: number, topicKey: string, beforeId: number]

const findViewOfAll = defineViewQuery(false)
const findViewOfReceived = defineViewQuery(true)

function defineViewQuery(isReceivedOnly: boolean) {
  return defineQuery<ViewArguments, ViewRow>((db, userId, channelId, key, beforeId) =>
    db.selectNoFrom(({ selectFrom }) => [
      selectFrom('userTopics')
        .select('visibilityPolicy')
        .where('userId', '=', userId)
        .where('channelId', '=', channelId)
        .where('topicKey', '=', key)
        .as('policy'),
      selectFrom('subscriptions')
        .select('isMuted')
        .where('userId', '=', userId)
        .where('channelId', '=', channelId)
        .where('unsubscribedAt', 'is', null)
        .as('isMuted'),
      selectFrom('messages')
        .select('messages.id')
        .where('channelId', '=', channelId)
        .where('topicKey', '=', key)
        .where('messages.id', '<', beforeId)
        .$if(isReceivedOnly, (query) =>
          query.innerJoin('userMessages', (join) =>
            join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
          ),
        )
        .limit(1)
        .as('messageId'),
    ]),
  )
}
