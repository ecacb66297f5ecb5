import { findActiveUsers, findChannelSubscriberIds } from '../../channels/audience-queries.ts'
import type { Channel } from '../../channels/channel.ts'
import { findMembershipScope, isInGroup, isInSetting } from '../../groups/membership.ts'
import type { Viewer } from '../../groups/viewer.ts'
import { findAlertedUserIds } from '../../people/alert-words/queries.ts'
import { refusal } from '../../platform/errors/refusal.ts'
import type { Rendering } from '../../platform/markdown/scope.ts'
import type { Db } from '../../platform/storage/storage.ts'
import type { ChannelTopic } from '../conversation.ts'
import { Flag } from '../flags/flag.ts'
import { type Author, authorOf, isSystemBot } from '../sending/author.ts'
import { topicKey } from '../topic.ts'

export const mayNotMentionChannel = refusal(
  'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use channel wildcard mentions in this channel.',
  { field: 'content' },
)
export const mayNotMentionTopic = refusal(
  'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use topic wildcard mentions in this topic.',
  { field: 'content' },
)
export const mayNotMentionGroup = refusal('BAD_REQUEST', 400, "You are not allowed to mention user group '{name}'.", {
  field: 'content',
})

/** Wildcard mentions of up to this many users need no permission. */
const MAX_UNRESTRICTED_MENTIONS = 15

/** The users whom a message mentions, and those whose alert words it contains. */
export type Mentions = {
  userIds: ReadonlySet<number>
  groupMemberIds: ReadonlySet<number>
  /** Users who sent or reacted to messages in the topic; filled by a topic wildcard mention. */
  topicParticipantIds: ReadonlySet<number>
  wholeChannel: boolean
  alertedUserIds: ReadonlySet<number>
}

const noUsers: ReadonlySet<number> = new Set()

/** Returns alert words only: notices from the server mention no one. */
export async function findNoticeMentions(db: Db, realmId: number, content: string): Promise<Mentions> {
  const alertedUserIds = await findAlertedUserIds(db, realmId, content)
  return {
    userIds: noUsers,
    groupMemberIds: noUsers,
    topicParticipantIds: noUsers,
    wholeChannel: false,
    alertedUserIds,
  }
}

/** Returns the mentions in the content; refuses wildcard and group mentions that the author may not use. */
export async function requireMentions(
  viewer: Viewer,
  { content, rendering }: { content: string; rendering: Rendering },
  channelTopic: ChannelTopic | null,
): Promise<Mentions> {
  const author = authorOf(viewer.actor)
  const { db, now } = viewer
  // In a direct message, a channel wildcard mentions everyone in the conversation.
  const wholeChannel = rendering.mentionsChannel
  const topicParticipantIds =
    channelTopic !== null && rendering.mentionsTopic ? await findTopicParticipants(db, author, channelTopic) : noUsers
  const mentions: Mentions = {
    userIds: new Set(rendering.mentionedUserIds),
    groupMemberIds: await findMembers(db, author, rendering.mentionedGroupIds, now),
    topicParticipantIds,
    wholeChannel,
    alertedUserIds: await findAlertedUserIds(db, author.realm.id, content),
  }
  if (isSystemBot(author)) return mentions

  await requireMayMentionGroups(viewer, rendering.mentionedGroupIds)
  if (channelTopic === null) return mentions
  if (wholeChannel && !(await mayMentionMany(viewer, await countSubscribers(db, channelTopic.channel))))
    throw mayNotMentionChannel()
  if (rendering.mentionsTopic && !(await mayMentionMany(viewer, topicParticipantIds.size))) throw mayNotMentionTopic()
  return mentions
}

/** Returns the flags that the content of a message sets for a recipient. */
export function contentFlags(mentions: Mentions, userId: number): number {
  let flags = 0
  if (mentions.userIds.has(userId) || mentions.groupMemberIds.has(userId)) flags |= Flag.mentioned
  if (mentions.wholeChannel) flags |= Flag.stream_wildcard_mentioned
  if (mentions.topicParticipantIds.has(userId)) flags |= Flag.topic_wildcard_mentioned
  if (mentions.alertedUserIds.has(userId)) flags |= Flag.has_alert_word
  return flags
}

async function mayMentionMany(viewer: Viewer, count: number): Promise<boolean> {
  if (count <= MAX_UNRESTRICTED_MENTIONS) return true
  const { actor } = viewer
  return isInSetting(await viewer.scope(), actor, actor.realm.settings.can_mention_many_users_group)
}

async function requireMayMentionGroups(viewer: Viewer, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const scope = await viewer.scope()
  for (const id of ids) {
    const group = scope.groups.byId.get(id)
    if (group !== undefined && !isInSetting(scope, viewer.actor, group.settings.can_mention_group))
      throw mayNotMentionGroup({ name: group.name })
  }
}

async function countSubscribers(db: Db, channel: Channel): Promise<number> {
  return (await findChannelSubscriberIds(db, channel.id)).length
}

/** Returns the active members, including those of subgroups. */
async function findMembers(db: Db, { realm }: Author, groupIds: readonly number[], now: number): Promise<Set<number>> {
  if (groupIds.length === 0) return new Set()
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  const { all } = await findActiveUsers(db, realm.id)
  const members = all.filter((person) => groupIds.some((id) => isInGroup(scope, person, id)))
  return new Set(members.map((person) => person.id))
}

/** Returns the users who sent or reacted to messages in the topic, and the author, who may be new there. */
async function findTopicParticipants(db: Db, { user }: Author, { channel, topic }: ChannelTopic): Promise<Set<number>> {
  const inTopic = db.selectFrom('messages').where('channelId', '=', channel.id).where('topicKey', '=', topicKey(topic))
  const rows = await inTopic
    .select('senderId as userId')
    .union(inTopic.innerJoin('reactions', 'reactions.messageId', 'messages.id').select('reactions.userId'))
    .execute()
  return new Set([user.id, ...rows.map((row) => row.userId)])
}
