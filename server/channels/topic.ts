import { refusal } from '#lib/errors.ts'
import { trimWhitespace } from '#lib/text.ts'
import { RESOLVED_PREFIX, truncateTopic } from '#rules/topics.ts'
import type { LargeReads } from '#storage/storage.ts'
import { UNPRINTABLE } from './channel.ts'

// Topics of channels: their form, the keys by which they are compared, the empty topic, and resolved topics. A topic
// exists as long as a message has it; nothing else is stored.

/** A topic of a channel, identified by its key; null for direct messages. */
export type MessageTopic = { channelId: number; topicKey: string } | null

/** A topic in the spelling of its latest message, and the id of that message. */
type Topic = { name: string; maxId: number }

export const topicCharacter = refusal('BAD_REQUEST', 400, 'Invalid character in topic, at position {position}!', {
  field: 'topic',
})

/** The name of the empty topic for clients that do not support empty topic names. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat'

const EMPTY_TOPIC_NAMES = new Set([EMPTY_TOPIC_DISPLAY_NAME, '(no topic)'])

/**
 * Returns the topic in the form in which it is stored: trimmed, truncated, and empty for both display names of the
 * empty topic.
 */
export function requireTopic(given: string): string {
  const topic = trimWhitespace(given)
  const characters = Array.from(topic)
  const position = characters.findIndex((character) => UNPRINTABLE.test(character)) + 1
  if (position > 0) throw topicCharacter({ position })
  return truncateTopic(normalizeTopic(topic))
}

/** Trims the topic and maps both display names of the empty topic to the empty string. */
export function normalizeTopic(name: string): string {
  const topic = trimWhitespace(name)
  return EMPTY_TOPIC_NAMES.has(topic) ? '' : topic
}

/** Returns the key by which topics are compared. Topics that differ only in case have the same key. */
export function topicKey(topic: string): string {
  return topic.toLowerCase()
}

export function messageTopicOf({ channelId, topic }: { channelId: number | null; topic: string }): MessageTopic {
  return channelId === null ? null : { channelId, topicKey: topicKey(topic) }
}

export function displayTopic(topic: string, allowsEmpty: boolean): string {
  return topic === '' && !allowsEmpty ? EMPTY_TOPIC_DISPLAY_NAME : topic
}

/** Returns true for the names that the empty topic would get if it were resolved. */
export function isResolvedEmptyTopic(name: string): boolean {
  const topic = name.trim()
  return topic === RESOLVED_PREFIX.trim() || topic === RESOLVED_PREFIX + EMPTY_TOPIC_DISPLAY_NAME
}

/**
 * Returns the topics of a channel. The topic with the latest message comes first. If `viewerId` is given, only messages
 * that this user received count.
 */
export async function findTopics(db: LargeReads, channelId: number, viewerId: number | null): Promise<Topic[]> {
  let latest = db
    .selectFrom('messages')
    .select(({ fn }) => fn.max('messages.id').as('maxId'))
    .where('channelId', '=', channelId)
    .groupBy('topicKey')
  if (viewerId !== null) {
    latest = latest
      .innerJoin('userMessages', 'userMessages.messageId', 'messages.id')
      .where('userMessages.userId', '=', viewerId)
  }
  return db
    .selectFrom(latest.as('latest'))
    .innerJoin('messages', 'messages.id', 'latest.maxId')
    .select(['messages.topic as name', 'messages.id as maxId'])
    .orderBy('messages.id', 'desc')
    .execute()
}
