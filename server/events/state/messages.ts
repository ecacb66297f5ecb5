import { z } from 'zod'
import { displayTopic, topicKey } from '#channels/topic.ts'
import {
  findUnreadInChannels,
  findUnreadInConversations,
  MAX_UNREAD,
  MAX_UNREAD_BYTES,
  type UnreadConversation,
  type UnreadTopic,
} from '#messages/unread.ts'
import { findNewestMessageId } from '#people/user-queries.ts'
import { findSubscribedChannels, mutedTopicFinder } from './channels.ts'
import { findConversationsOf, findStarredIds } from './queries.ts'
import { type StateScope, stateSlice } from './slice.ts'

const NO_MESSAGE = -1

/** The maximum number of direct conversations in the state. Those with the newest messages are included. */
const MAX_CONVERSATIONS = 1000

export const messageSlice = stateSlice({
  types: ['message'],
  returns: { max_message_id: z.int().describe('The newest message that you received; -1 when there is none.') },
  async fetch({ db, actor, form }) {
    const newestId = await findNewestMessageId(db, actor.id, { withArchived: form.takesArchivedChannels })
    return { max_message_id: newestId ?? NO_MESSAGE }
  },
})

export const starredMessagesSlice = stateSlice({
  types: ['starred_messages'],
  returns: { starred_messages: z.array(z.int()) },
  async fetch({ db, actor }) {
    return { starred_messages: await findStarredIds(db, actor.id) }
  },
})

export const recentConversationsSlice = stateSlice({
  types: ['recent_private_conversations'],
  returns: {
    recent_private_conversations: z
      .array(z.strictObject({ max_message_id: z.int(), user_ids: z.array(z.int()).describe('Without your own id.') }))
      .describe('Direct messages, the conversation with the newest one first; at most 1,000.'),
  },
  async fetch({ db, actor }) {
    const conversations = await findConversationsOf(db, actor.id)
    return {
      recent_private_conversations: conversations
        .sort((one, other) => other.newestId - one.newestId)
        .slice(0, MAX_CONVERSATIONS)
        .map(({ participantIds, newestId }) => ({
          max_message_id: newestId,
          user_ids: participantIds.filter((id) => id !== actor.id),
        })),
    }
  },
})

const unread_message_ids = z.array(z.int()).describe('Ascending.')

const unreadJson = z.strictObject({
  count: z.int().describe('The number of messages outside muted topics and channels.'),
  pms: z.array(z.strictObject({ other_user_id: z.int(), sender_id: z.int(), unread_message_ids })),
  streams: z.array(z.strictObject({ stream_id: z.int(), topic: z.string(), unread_message_ids })),
  huddles: z.array(
    z.strictObject({
      user_ids_string: z.string().describe('The ids of all participants, with your own.'),
      unread_message_ids,
    }),
  ),
  mentions: z
    .array(z.int())
    .describe('Messages that mention you, or mention you by a wildcard in a topic that is not muted.'),
  old_unreads_missing: z
    .boolean()
    .describe(`Whether there are more than ${MAX_UNREAD}, or more than fit into a response.`),
})

type UnreadJson = z.infer<typeof unreadJson>

export const unreadMessagesSlice = stateSlice({
  // Clients need both types of events to keep the unread messages up to date.
  types: ['message', 'update_message_flags'],
  returns: { unread_msgs: unreadJson },
  async fetch(scope) {
    return { unread_msgs: await findUnread(scope) }
  },
})

async function findUnread(scope: StateScope): Promise<UnreadJson> {
  const { db, actor, form } = scope
  const channels = await findSubscribedChannels(scope)
  const inChannels = (await findUnreadInChannels(db, actor.id, MAX_UNREAD + 1)).filter((one) =>
    channels.has(one.channelId),
  )
  const inConversations = await findUnreadInConversations(db, actor.id, MAX_UNREAD + 1)
  const oldest = oldestIncludedId([...inChannels, ...inConversations])
  const topics = withoutOlder(inChannels, oldest)
  const conversations = withoutOlder(inConversations, oldest)

  const isMuted = await mutedTopicFinder(scope)
  const inUnmuted = topics.filter(({ channelId, topic }) => !isMuted(channelId, topic))
  const mentioning = [...topics, ...conversations].flatMap(({ mentions }) => mentions)
  const mentioningAll = [...inUnmuted, ...conversations].flatMap(({ wildcards }) => wildcards)
  return {
    count: [...inUnmuted, ...conversations].reduce((sum, { ids }) => sum + ids.length, 0),
    ...toConversationsJson(conversations, actor.id),
    streams: toTopicsJson(topics, form.allowsEmptyTopic),
    mentions: [...mentioning, ...mentioningAll].sort((one, other) => one - other),
    old_unreads_missing: oldest > 0,
  }
}

/** Leaves out messages with a lower id, and sorts the rest by their oldest messages. */
function withoutOlder<Group extends UnreadTopic | UnreadConversation>(groups: readonly Group[], oldest: number) {
  const isNewer = (id: number) => id >= oldest
  const rest = groups.map((group) => ({
    ...group,
    ids: group.ids.filter(isNewer),
    mentions: group.mentions.filter(isNewer),
    wildcards: group.wildcards.filter(isNewer),
  }))
  return rest.filter(({ ids }) => ids.length > 0).sort(({ ids: [one = 0] }, { ids: [other = 0] }) => one - other)
}

/** Bytes of JSON for an id, and for the entry of a topic or conversation without its ids. */
const ID_SIZE = 12
const CONVERSATION_SIZE = 70

const sizeOf = (group: UnreadTopic | UnreadConversation) =>
  CONVERSATION_SIZE +
  Buffer.byteLength('channelId' in group ? `${group.channelId} ${group.topic}` : group.participantsKey)

/** Returns the id of the oldest message to include; 0 if all messages are included. */
export function oldestIncludedId(groups: readonly (UnreadTopic | UnreadConversation)[]): number {
  const count = groups.reduce((sum, { ids }) => sum + ids.length, 0)
  const bytes = groups.reduce((sum, group) => sum + sizeOf(group), count * ID_SIZE)
  if (count <= MAX_UNREAD && bytes <= MAX_UNREAD_BYTES) return 0
  const included = new Set<UnreadTopic | UnreadConversation>()
  let size = 0
  let oldest = 0
  const messages = groups.flatMap((group) => group.ids.map((id) => ({ id, group })))
  for (const [index, { id, group }] of messages.sort((one, other) => other.id - one.id).entries()) {
    size += ID_SIZE + (included.has(group) ? 0 : sizeOf(group))
    if (index >= MAX_UNREAD || size > MAX_UNREAD_BYTES) return oldest
    included.add(group)
    oldest = id
  }
  return 0
}

/** Joins topics that differ in their case only. Each is spelled as in its newest message. */
function toTopicsJson(topics: readonly UnreadTopic[], allowsEmptyTopic: boolean): UnreadJson['streams'] {
  const byKey = Map.groupBy(topics, ({ channelId, topic }) => `${channelId} ${topicKey(topic)}`)
  return Array.from(byKey.values(), (spellings) => {
    const [newest = spellings[0], ...others] = spellings.toSorted(
      (one, other) => (other.ids.at(-1) ?? 0) - (one.ids.at(-1) ?? 0),
    )
    const { channelId, topic, ids } = newest as UnreadTopic
    const unread_message_ids =
      others.length === 0 ? ids : spellings.flatMap((one) => one.ids).sort((one, other) => one - other)
    return { stream_id: channelId, topic: displayTopic(topic, allowsEmptyTopic), unread_message_ids }
  })
}

function toConversationsJson(
  conversations: readonly UnreadConversation[],
  userId: number,
): Pick<UnreadJson, 'pms' | 'huddles'> {
  const json: Pick<UnreadJson, 'pms' | 'huddles'> = { pms: [], huddles: [] }
  for (const { participantsKey, ids: unread_message_ids } of conversations) {
    const participantIds = participantsKey.split(',').map(Number)
    if (participantIds.length > 2) {
      json.huddles.push({ user_ids_string: participantsKey, unread_message_ids })
      continue
    }
    // In a conversation of a user with themselves, the user is also the other participant.
    const otherId = participantIds.find((id) => id !== userId) ?? userId
    json.pms.push({ other_user_id: otherId, sender_id: otherId, unread_message_ids })
  }
  return json
}
