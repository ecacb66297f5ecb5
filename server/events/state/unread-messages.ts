import { z } from 'zod'
import { Flag } from '../../messages/flags/flag.ts'
import { displayTopic, topicKey } from '../../messages/topic.ts'
import { findSubscribedChannels } from './channels.ts'
import { findUnreadInChannels, findUnreadInConversations, type UnreadMessage } from './queries.ts'
import { type StateScope, stateSlice } from './slice.ts'
import { mutedTopicFinder } from './user-topics.ts'

/** The maximum number of unread messages in the state; the newest ones are included. */
export const MAX_UNREAD = 50_000

/** The maximum size of the unread messages in the state, in bytes of JSON. Topics and conversations count too. */
const MAX_UNREAD_BYTES = 2_000_000

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

const ANY_WILDCARD = Flag.stream_wildcard_mentioned | Flag.topic_wildcard_mentioned

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
  // From here on, the oldest message comes first.
  const messages = inChannels.filter(({ id }) => id >= oldest).reverse()
  const directMessages = inConversations.filter(({ id }) => id >= oldest).reverse()

  const isMuted = await mutedTopicFinder(scope)
  const mentioning = messages.filter(
    ({ flags, channelId, topic }) => flags & Flag.mentioned || (flags & ANY_WILDCARD && !isMuted(channelId, topic)),
  )
  const directMentioning = directMessages.filter(({ flags }) => flags & (Flag.mentioned | ANY_WILDCARD))
  return {
    count: directMessages.length + messages.filter(({ channelId, topic }) => !isMuted(channelId, topic)).length,
    ...toConversationsJson(directMessages, actor.id),
    streams: toTopicsJson(messages, form.allowsEmptyTopic),
    mentions: idsOf([...mentioning, ...directMentioning]).sort((one, other) => one - other),
    old_unreads_missing: oldest > 0,
  }
}

type Located = UnreadMessage & ({ channelId: number } | { participantsKey: string })

/** Bytes of JSON for an id, and for the entry of a topic or conversation without its ids. */
const ID_SIZE = 12
const CONVERSATION_SIZE = 70

/**
 * Returns the maximum size of these messages in the state, in bytes: their size if each is in a different conversation.
 */
function maxBytes(unread: readonly Located[]): number {
  let size = 0
  for (const message of unread)
    size +=
      ID_SIZE + CONVERSATION_SIZE + ('channelId' in message ? 3 * message.topic.length : message.participantsKey.length)
  return size
}

/** Returns the id of the oldest message to include; 0 if all messages are included. */
export function oldestIncludedId(unread: readonly Located[]): number {
  if (unread.length <= MAX_UNREAD && maxBytes(unread) <= MAX_UNREAD_BYTES) return 0
  const conversations = new Set<string>()
  let size = 0
  let oldest = 0
  for (const [index, message] of unread.toSorted((one, other) => other.id - one.id).entries()) {
    size += ID_SIZE
    const key = 'channelId' in message ? `${message.channelId} ${message.topic}` : message.participantsKey
    if (!conversations.has(key)) size += CONVERSATION_SIZE + Buffer.byteLength(key)
    if (index >= MAX_UNREAD || size > MAX_UNREAD_BYTES) return oldest
    conversations.add(key)
    oldest = message.id
  }
  return 0
}

const idsOf = (messages: readonly UnreadMessage[]) => messages.map(({ id }) => id)

/** Groups the messages by topic. Each topic is spelled as in its newest message. */
function toTopicsJson(
  messages: readonly (UnreadMessage & { channelId: number })[],
  allowsEmptyTopic: boolean,
): UnreadJson['streams'] {
  const topics = Map.groupBy(messages, ({ channelId, topic }) => `${channelId} ${topicKey(topic)}`)
  return Array.from(topics.values(), (ofTopic) => {
    const { channelId, topic } = ofTopic.at(-1) as (typeof ofTopic)[number]
    return { stream_id: channelId, topic: displayTopic(topic, allowsEmptyTopic), unread_message_ids: idsOf(ofTopic) }
  })
}

function toConversationsJson(
  messages: readonly (UnreadMessage & { participantsKey: string })[],
  userId: number,
): Pick<UnreadJson, 'pms' | 'huddles'> {
  const json: Pick<UnreadJson, 'pms' | 'huddles'> = { pms: [], huddles: [] }
  for (const [key, ofConversation] of Map.groupBy(messages, ({ participantsKey }) => participantsKey)) {
    const participantIds = key.split(',').map(Number)
    const unread_message_ids = idsOf(ofConversation)
    if (participantIds.length > 2) {
      json.huddles.push({ user_ids_string: key, unread_message_ids })
      continue
    }
    // In a conversation of a user with themselves, the user is also the other participant.
    const otherId = participantIds.find((id) => id !== userId) ?? userId
    json.pms.push({ other_user_id: otherId, sender_id: otherId, unread_message_ids })
  }
  return json
}
