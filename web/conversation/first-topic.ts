import type { Message } from '../messages/message.ts'
import { isSameTopic } from '../messages/narrow.ts'
import type { Unread } from '../messages/unread.ts'

/** The topic in which the server's notification bot posts about changes to a channel. */
const CHANNEL_EVENTS = 'channel events'

/** The facts about the topics of a channel by which the first one is chosen. */
export type TopicFacts = { readonly isMuted: (topic: string) => boolean; readonly isOfBots: (topic: string) => boolean }

/**
 * Returns true if only the server's bots write in a topic, as far as the messages tell that are at hand. Without
 * messages of the topic, its name tells.
 */
export function isTopicOfBots(
  topic: string,
  messages: readonly Pick<Message, 'sender_id' | 'subject'>[],
  systemBotIds: readonly number[],
): boolean {
  const known = messages.filter(({ subject }) => isSameTopic(subject, topic))
  return known.length === 0
    ? isSameTopic(topic, CHANNEL_EVENTS)
    : known.every(({ sender_id }) => systemBotIds.includes(sender_id))
}

/**
 * Returns the first topic in which people write; if there is none, a topic of the server's bots; if all are muted, the
 * first one. Returns null if there are no topics.
 */
export const firstTopic = (topics: readonly string[], { isMuted, isOfBots }: TopicFacts): string | null =>
  topics.find((topic) => !isMuted(topic) && !isOfBots(topic)) ??
  topics.find((topic) => !isMuted(topic)) ??
  topics[0] ??
  null

/** Returns the topic of `firstTopic` among the channel's topics with unread messages; null if all of them are muted. */
export function firstUnreadTopic(unread: Unread, channelId: number, facts: TopicFacts): string | null {
  const topics = [...unread.conversations.values()]
    .flatMap(({ conversation, ids }) =>
      conversation.kind === 'topic' && conversation.channelId === channelId && !facts.isMuted(conversation.topic)
        ? [{ topic: conversation.topic, latestId: ids.at(-1) ?? 0 }]
        : [],
    )
    .sort((one, other) => other.latestId - one.latestId)
  return firstTopic(
    topics.map(({ topic }) => topic),
    facts,
  )
}
