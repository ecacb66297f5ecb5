import type { Channel } from '#channels/channel.ts'
import { findSubscriptions } from '#channels/subscriptions.ts'
import { topicKey } from '#channels/topic.ts'
import { findUserTopics, VisibilityPolicy } from '#channels/user-topics.ts'
import { viewerOf } from '#groups/viewer.ts'
import type { UserMessage } from '#messages/message.ts'
import { findAccessScope, realmChannels } from '#messages/narrow.ts'
import { findUserMessages } from '#messages/queries.ts'
import { findMutedUsers } from '#people/mutes.ts'
import type { Actor } from '#people/users.ts'
import { hasContentAccess } from '#rules/permissions.ts'
import type { Db } from '#storage/storage.ts'
import type { ChannelActivity } from './channel-activity.ts'
import { findFirstIds, findTopicActivity, type TopicActivity, type Wanted } from './digest-queries.ts'

/**
 * The number of topics that are chosen because they have the most senders, and the maximum number of topics in a
 * digest.
 */
const [BY_PEOPLE, MAX_TOPICS] = [2, 4]

/** The maximum number of messages shown per topic. */
const MAX_SHOWN = 2

const MAX_NEW_CHANNELS = 10

/** A busy topic: its first messages, and the number of its other messages. */
export type HotTopic = { first: UserMessage[]; others: number }

export type Digest = { topics: HotTopic[]; newChannels: Channel[] }

type Period = { since: number; now: number }

/**
 * Finds the busiest topics of the user's channels since this time, and the new channels that the user can read. Leaves
 * out muted topics and channels, direct messages, and messages of bots. `activity` only serves to choose topics. Access
 * to their messages is checked when the messages are read.
 */
export async function findDigest(
  db: Db,
  actor: Actor,
  activity: ChannelActivity,
  { since, now }: Period,
): Promise<Digest> {
  const viewer = viewerOf(db, actor, now)
  const membership = await viewer.scope()
  const channels = (await realmChannels.get(db, actor.realmId)).filter(({ archivedAt }) => archivedAt === null)
  const subscriptions = new Map((await findSubscriptions(db, actor.id)).map((one) => [one.channelId, one]))
  const subscribed = channels.filter(({ id }) => subscriptions.has(id))
  const isShown = await findTopicFilter(db, actor.id, subscriptions)
  const firstId = activity.findFirstId(since)
  const wanted = {
    scope: await findAccessScope(viewer, subscribed),
    channelIds: subscribed.map(({ id }) => id),
    firstId: firstId ?? Number.MAX_SAFE_INTEGER,
  }
  const topics: HotTopic[] = []
  const counted = firstId === null ? [] : await countTopics(db, activity, wanted)
  for (const topic of hottest(counted.filter(isShown))) {
    const first = await findUserMessages(db, actor.id, await findFirstIds(db, wanted, topic, MAX_SHOWN))
    if (first.length > 0) topics.push({ first, others: Math.max(0, topic.messages - first.length) })
  }
  const isNew = (channel: Channel) =>
    channel.createdAt > since && hasContentAccess(membership, actor, channel, subscriptions.has(channel.id))
  return { topics, newChannels: channels.filter(isNew).slice(0, MAX_NEW_CHANNELS) }
}

/**
 * Counts, by topic, the messages that the user may read. `activity` has the counts for channels that the user may read
 * in full. Only messages of the other channels are read for each user.
 */
async function countTopics(db: Db, activity: ChannelActivity, wanted: Wanted): Promise<TopicActivity[]> {
  const { scope, firstId } = wanted
  const mutedIds = new Set((await findMutedUsers(db, scope.userId)).map(({ mutedUserId }) => mutedUserId))
  return [
    ...activity.countTopics(scope.fullAccessIds, firstId, mutedIds),
    ...(await findTopicActivity(db, { ...wanted, channelIds: [...scope.receivedOnlyIds] })),
  ]
}

/**
 * Returns a function that rejects topics that the user has muted. It also rejects topics in muted channels, unless the
 * user unmuted or follows the topic.
 */
async function findTopicFilter(
  db: Db,
  userId: number,
  subscriptions: ReadonlyMap<number, { isMuted: boolean }>,
): Promise<(topic: TopicActivity) => boolean> {
  const policies = new Map(
    (await findUserTopics(db, userId)).map((one) => [keyOf(one.channelId, topicKey(one.topic)), one.visibilityPolicy]),
  )
  return ({ channelId, topicKey: key }) => {
    const policy = policies.get(keyOf(channelId, key)) ?? VisibilityPolicy.inherit
    if (policy === VisibilityPolicy.inherit) return subscriptions.get(channelId)?.isMuted === false
    return policy !== VisibilityPolicy.muted
  }
}

const keyOf = (channelId: number, key: string) => `${channelId} ${key}`

/** Returns the two topics with the most senders, followed by the topics with the most messages. */
function hottest(topics: readonly TopicActivity[]): TopicActivity[] {
  const byPeople = topics.toSorted((one, other) => other.people - one.people || other.lastId - one.lastId)
  const byMessages = topics.toSorted((one, other) => other.messages - one.messages || other.lastId - one.lastId)
  return [...new Set([...byPeople.slice(0, BY_PEOPLE), ...byMessages])].slice(0, MAX_TOPICS)
}
