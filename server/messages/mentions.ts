import { findActiveUsers, findChannelSubscriberIds } from '#channels/audience.ts'
import type { Channel } from '#channels/channel.ts'
import { topicKey } from '#channels/topic.ts'
import { findMembershipScope, isInGroup, isInSetting, type Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors.ts'
import type { Rendering } from '#markdown/scope.ts'
import { findAlertedUserIds } from '#people/alert-words.ts'
import { MAX_UNRESTRICTED_MENTIONS } from '#rules/shared-limits.ts'
import type { Db } from '#storage/storage.ts'
import { type Author, authorOf, isSystemBot } from './access.ts'
import { Flag } from './flags.ts'
import type { ChannelTopic } from './message.ts'

// The users whom a message mentions, and the permission to mention many of them: wildcards and groups need one.
// Notices of the server mention nobody.

/** The users whom a message mentions, and the users whose alert words it contains. */
export type Mentions = {
  userIds: ReadonlySet<number>
  groupMemberIds: ReadonlySet<number>
  /** Users who sent or reacted to messages in the topic; empty without a topic wildcard mention. */
  topicParticipantIds: ReadonlySet<number>
  wholeChannel: boolean
  alertedUserIds: ReadonlySet<number>
}

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

/** Refuses `@all` and its synonyms in a channel with this many subscribers if the author may not notify so many users. */
async function requireMayMentionChannel(viewer: Viewer, subscribers: number): Promise<void> {
  if (!(await mayMentionMany(viewer, subscribers))) throw mayNotMentionChannel()
}

/** Refuses `@topic` in a topic with this many participants if the author may not notify so many users. */
async function requireMayMentionTopic(viewer: Viewer, participants: number): Promise<void> {
  if (!(await mayMentionMany(viewer, participants))) throw mayNotMentionTopic()
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

async function mayMentionMany(viewer: Viewer, count: number): Promise<boolean> {
  if (count <= MAX_UNRESTRICTED_MENTIONS) return true
  const { actor } = viewer
  return isInSetting(await viewer.scope(), actor, actor.realm.settings.can_mention_many_users_group)
}

const noUsers: ReadonlySet<number> = new Set()

/** Finds only the users whose alert words the notice contains. Notices from the server mention no one. */
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
  if (wholeChannel) await requireMayMentionChannel(viewer, await countSubscribers(db, channelTopic.channel))
  if (rendering.mentionsTopic) await requireMayMentionTopic(viewer, topicParticipantIds.size)
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

async function countSubscribers(db: Db, channel: Channel): Promise<number> {
  return (await findChannelSubscriberIds(db, channel.id)).length
}

/** Returns the active members of the groups, including members of subgroups. */
async function findMembers(db: Db, { realm }: Author, groupIds: readonly number[], now: number): Promise<Set<number>> {
  if (groupIds.length === 0) return new Set()
  const scope = await findMembershipScope(db, { realmId: realm.id, realm }, now)
  const { all } = await findActiveUsers(db, realm.id)
  const members = all.filter((person) => groupIds.some((id) => isInGroup(scope, person, id)))
  return new Set(members.map((person) => person.id))
}

/** Returns the users who sent or reacted to messages in the topic. Includes the author, who may be new there. */
async function findTopicParticipants(db: Db, { user }: Author, { channel, topic }: ChannelTopic): Promise<Set<number>> {
  const inTopic = db.selectFrom('messages').where('channelId', '=', channel.id).where('topicKey', '=', topicKey(topic))
  const rows = await inTopic
    .select('senderId as userId')
    .union(inTopic.innerJoin('reactions', 'reactions.messageId', 'messages.id').select('reactions.userId'))
    .execute()
  return new Set([user.id, ...rows.map((row) => row.userId)])
}
