import { findActiveUsers, findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import type { Channel } from '../../channels/channel.ts'
import { findMembershipScope, isInGroup, isInSetting } from '../../groups/membership.ts'
import { findAlertedUserIds } from '../../people/alert-words/queries.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Rendering } from '../../platform/markdown/scope.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { ChannelTopic } from '../conversation.ts'
import { Flag } from '../flags/flag.ts'
import { type Author, actorOf, isSystemBot } from '../sending/author.ts'
import { topicKey } from '../topic.ts'

export const mayNotMentionChannel = refusal(
  'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use channel wildcard mentions in this channel.',
)
export const mayNotMentionTopic = refusal(
  'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use topic wildcard mentions in this topic.',
)
export const mayNotMentionGroup = refusal('BAD_REQUEST', 400, "You are not allowed to mention user group '{name}'.")

/** A mention of so many people or fewer needs no permission. */
const FEW = 15

/** Whom a message mentions, and how; and whose alert words it holds. */
export type Mentions = {
  userIds: ReadonlySet<number>
  groupMemberIds: ReadonlySet<number>
  /** Those who wrote or reacted in the topic, when all of them are mentioned. */
  topicParticipantIds: ReadonlySet<number>
  wholeChannel: boolean
  alertedUserIds: ReadonlySet<number>
}

const nobody: ReadonlySet<number> = new Set()

/** Of a text of the server's own, which mentions nobody. */
export async function findAlerts(db: Db, realmId: number, content: string): Promise<Mentions> {
  const alertedUserIds = await findAlertedUserIds(db, realmId, content)
  return {
    userIds: nobody,
    groupMemberIds: nobody,
    topicParticipantIds: nobody,
    wholeChannel: false,
    alertedUserIds,
  }
}

/** Whom the text mentions; refused when its author may not mention that many, or that group. */
export async function requireMentions(
  db: Db,
  author: Author,
  { content, rendering }: { content: string; rendering: Rendering },
  channelTopic: ChannelTopic | null,
  now: number,
): Promise<Mentions> {
  // In a direct message it mentions everyone in the conversation.
  const wholeChannel = rendering.mentionsChannel
  const topicParticipantIds =
    channelTopic !== null && rendering.mentionsTopic ? await findTopicParticipants(db, author, channelTopic) : nobody
  const mentions: Mentions = {
    userIds: new Set(rendering.mentionedUserIds),
    groupMemberIds: await findMembers(db, author, rendering.mentionedGroupIds, now),
    topicParticipantIds,
    wholeChannel,
    alertedUserIds: await findAlertedUserIds(db, author.realm.id, content),
  }
  if (isSystemBot(author)) return mentions

  await requireMayMentionGroups(db, author, rendering.mentionedGroupIds, now)
  if (channelTopic === null) return mentions
  if (wholeChannel && !(await mayMentionMany(db, author, await countSubscribers(db, channelTopic.channel), now)))
    throw mayNotMentionChannel()
  if (rendering.mentionsTopic && !(await mayMentionMany(db, author, topicParticipantIds.size, now)))
    throw mayNotMentionTopic()
  return mentions
}

/** The flags that the text of the message gives to somebody who receives it. */
export function textFlags(mentions: Mentions, userId: number): number {
  let flags = 0
  if (mentions.userIds.has(userId) || mentions.groupMemberIds.has(userId)) flags |= Flag.mentioned
  if (mentions.wholeChannel) flags |= Flag.stream_wildcard_mentioned
  if (mentions.topicParticipantIds.has(userId)) flags |= Flag.topic_wildcard_mentioned
  if (mentions.alertedUserIds.has(userId)) flags |= Flag.has_alert_word
  return flags
}

async function mayMentionMany(db: Db, author: Author, count: number, now: number): Promise<boolean> {
  if (count <= FEW) return true
  const actor = actorOf(author)
  return isInSetting(
    await findMembershipScope(db, actor, now),
    actor,
    author.realm.settings.can_mention_many_users_group,
  )
}

async function requireMayMentionGroups(db: Db, author: Author, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return
  const actor = actorOf(author)
  const scope = await findMembershipScope(db, actor, now)
  for (const id of ids) {
    const group = scope.groups.byId.get(id)
    if (group !== undefined && !isInSetting(scope, actor, group.settings.can_mention_group))
      throw mayNotMentionGroup({ name: group.name })
  }
}

async function countSubscribers(db: Db, channel: Channel): Promise<number> {
  return (await findChannelSubscriberIds(db, channel.id)).length
}

/** The active members, to any depth. */
async function findMembers(db: Db, { realm }: Author, groupIds: readonly number[], now: number): Promise<Set<number>> {
  if (groupIds.length === 0) return new Set()
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  const { all } = await findActiveUsers(db, realm.id)
  const members = all.filter((person) => groupIds.some((id) => isInGroup(scope, person, id)))
  return new Set(members.map((person) => person.id))
}

/** Those who wrote or reacted in the topic, and the author, whose first message there this may be. */
async function findTopicParticipants(db: Db, { user }: Author, { channel, topic }: ChannelTopic): Promise<Set<number>> {
  const inTopic = db.selectFrom('messages').where('channelId', '=', channel.id).where('topicKey', '=', topicKey(topic))
  const rows = await inTopic
    .select('senderId as userId')
    .union(inTopic.innerJoin('reactions', 'reactions.messageId', 'messages.id').select('reactions.userId'))
    .execute()
  return new Set([user.id, ...rows.map((row) => row.userId)])
}
