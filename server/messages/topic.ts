import { trimWhitespace } from '../platform/encoding/trim-whitespace.ts'
import { refusal } from '../platform/errors/refusal.ts'

export const topicCharacter = refusal('BAD_REQUEST', 400, 'Invalid character in topic, at position {position}!')

/** In code points. */
export const MAX_TOPIC_LENGTH = 60

/** How the topic without a name is shown to clients that cannot handle an empty one. */
export const EMPTY_TOPIC_DISPLAY_NAME = 'general chat'

const NAMES_OF_THE_EMPTY_TOPIC = new Set([EMPTY_TOPIC_DISPLAY_NAME, '(no topic)'])

/** What the names of resolved topics begin with. */
export const RESOLVED_PREFIX = '✔ '

const UNPRINTABLE = /^[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]$/u

/** A topic as it is stored: trimmed, cut to length, and empty under either name of the empty topic. */
export function requireTopic(given: string): string {
  const topic = trimWhitespace(given)
  const characters = Array.from(topic)
  const position = characters.findIndex((character) => UNPRINTABLE.test(character)) + 1
  if (position > 0) throw topicCharacter({ position })
  return cutTopic(meantTopic(topic))
}

/** The topic that a name means, trimmed: the empty one has two names more. */
export function meantTopic(name: string): string {
  const topic = trimWhitespace(name)
  return NAMES_OF_THE_EMPTY_TOPIC.has(topic) ? '' : topic
}

/** The topic in at most 60 code points; one that was longer ends in three dots. */
export function cutTopic(topic: string): string {
  const characters = Array.from(topic)
  if (characters.length <= MAX_TOPIC_LENGTH) return topic
  return `${characters.slice(0, MAX_TOPIC_LENGTH - 3).join('')}...`
}

/** What topics are compared by: topics that differ in case alone are one. */
export function topicKey(topic: string): string {
  return topic.toLowerCase()
}

/** A topic of a channel by its key; null for direct messages. */
export type TopicRef = { channelId: number; topicKey: string } | null

export function topicRefOf({ channelId, topic }: { channelId: number | null; topic: string }): TopicRef {
  return channelId === null ? null : { channelId, topicKey: topicKey(topic) }
}

/** The topic as clients see it. */
export function shownTopic(topic: string, allowsEmpty: boolean): string {
  return topic === '' && !allowsEmpty ? EMPTY_TOPIC_DISPLAY_NAME : topic
}

/** Whether the name, trimmed, is what the topic without one would have if it were resolved. */
export function namesResolvedEmptyTopic(name: string): boolean {
  const topic = name.trim()
  return topic === RESOLVED_PREFIX.trim() || topic === RESOLVED_PREFIX + EMPTY_TOPIC_DISPLAY_NAME
}

export function isResolved(topic: string): boolean {
  return topic.startsWith(RESOLVED_PREFIX)
}

/** Whether a change of topic only adds or takes away the resolved prefix, be the longer name cut or not. */
export function isResolutionChange(from: string, to: string): boolean {
  if (isResolved(from) === isResolved(to)) return false
  const [open, resolved] = isResolved(from) ? [to, from] : [from, to]
  return cutTopic(RESOLVED_PREFIX + open) === resolved
}
