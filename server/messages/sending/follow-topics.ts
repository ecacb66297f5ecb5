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
import { defineQuery, integerAt, rowsIn, textAt, toStorableText } from '#storage/sql.ts'
import type { Db, Transaction } from '#storage/storage.ts'
import { type Author, hasProtectedHistory, isSystemBot } from '../access.ts'
import { Flag } from '../flags.ts'
import type { ChannelTopic, ConversationRef, Message } from '../message.ts'
import type { RecipientsByFlags } from './recipients.ts'

/** A message that is about to be saved, and its conversation. */
type OutgoingMessage = { prepared: { author: Author }; conversation: ConversationRef }

/**
 * Makes the authors of messages follow or unmute their topics if the authors' settings require it. Call it before the
 * messages are saved. Returns the new policy for each message, or null if the policy does not change.
 */
export async function followOnSend(
  tx: Transaction,
  messages: readonly OutgoingMessage[],
): Promise<(AutomaticPolicy | null)[]> {
  const places = messages.map(({ prepared: { author }, conversation }) => {
    const { user } = author
    if (conversation.channel === null || isSystemBot(author) || isBot(user)) return null
    return isNeverAutomatic(user.settings, 'start') ? null : { userId: user.id, user, ...conversation }
  })
  const views = await findViews(
    tx.db,
    places.filter((place) => place !== null),
  )
  const newPolicies: (AutomaticPolicy | null)[] = []
  const started = new Set<string>()
  const changes: { key: string; save: () => Promise<unknown> }[] = []
  for (const place of places) {
    const view = place === null ? undefined : views.get(keyOf(place))
    if (place === null || view === undefined) {
      newPolicies.push(null)
      continue
    }
    // An earlier message of the list may start the topic.
    const topic = `${place.channel.id} ${topicKey(place.topic)}`
    const isStart = view.policy === VisibilityPolicy.inherit && !view.hasMessages && !started.has(topic)
    started.add(topic)
    const { policy: before } = view
    const newPolicy = automaticPolicy(place.user.settings, isStart ? 'start' : 'send', view)
    newPolicies.push(newPolicy)
    if (newPolicy === null) continue
    changes.push({
      key: keyOf(place),
      save: () => follow(tx, place.user, place, { ...view, policy: before }, newPolicy),
    })
    view.policy = newPolicy
  }
  // All transactions use the same order, so that no two wait for each other's rows.
  for (const { save } of changes.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key))))
    await save()
  return newPolicies
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

/** A topic in the view of a user. Only messages with ids below `beforeId` count; without it, all do. */
type Place = ChannelTopic & { userId: number; beforeId?: number }

const keyOf = ({ userId, channel, topic }: Place) => `${userId} ${channel.id} ${topicKey(topic)}`

/** Returns the user's view of the topic. Only messages with ids below `beforeId` count. */
async function findView(db: Db, userId: number, channelTopic: ChannelTopic, beforeId?: number): Promise<View> {
  const place = { ...channelTopic, userId, ...(beforeId !== undefined && { beforeId }) }
  return (await findViews(db, [place])).get(keyOf(place)) as View
}

/** Returns the views of these places, in one query, by their `keyOf`. */
async function findViews(db: Db, places: readonly Place[]): Promise<Map<string, View>> {
  if (places.length === 0) return new Map()
  const list = places.map(({ userId, channel, topic, beforeId = Number.MAX_SAFE_INTEGER }, at) => [
    at,
    userId,
    channel.id,
    toStorableText(topicKey(topic)),
    beforeId,
    hasProtectedHistory(channel) ? 1 : 0,
  ])
  const rows = await findViewRows(db, JSON.stringify(list))
  return new Map(
    rows.map(({ at, policy, isMuted, messageId }) => [
      keyOf(places[at] as Place),
      {
        policy: (policy ?? VisibilityPolicy.inherit) as VisibilityPolicy,
        isChannelMuted: isMuted === 1,
        hasMessages: messageId !== null,
      },
    ]),
  )
}

/** Takes a list of `[position, user id, channel id, topic key, message id, 1 if only received messages count]`. */
const findViewRows = defineQuery((db, list: string) => {
  const [userId, channelId, key, beforeId] = [integerAt(1), integerAt(2), textAt(3), integerAt(4)]
  return rowsIn(db, list).select(({ selectFrom, case: when }) => {
    const messages = selectFrom('messages')
      .select('messages.id')
      .where('messages.channelId', '=', channelId)
      .where('messages.topicKey', '=', key)
      .where('messages.id', '<', beforeId)
      .limit(1)
    const received = messages.innerJoin('userMessages', (join) =>
      join.onRef('userMessages.messageId', '=', 'messages.id').on('userMessages.userId', '=', userId),
    )
    return [
      integerAt(0).as('at'),
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
      when().when(integerAt(5), '=', 1).then(received).else(messages).end().as('messageId'),
    ]
  })
})
