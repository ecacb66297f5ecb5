import { resolvedName } from '#rules/topics.ts'
import type { Organization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { type Message, TopicPolicy } from './message.ts'
import { parseSearch, searchTerms } from './search-query.ts'

/**
 * A view of the user's messages. `people` are the ids of the other participants in ascending order, or only the user's
 * own id in notes to self. The `query` of a search is in the syntax of `parseSearch`, with ids in place of names.
 */
export type Narrow =
  | { readonly kind: 'channel'; readonly channelId: number }
  | { readonly kind: 'topic'; readonly channelId: number; readonly topic: string }
  | { readonly kind: 'direct'; readonly people: readonly number[] }
  | { readonly kind: Feed }
  | { readonly kind: 'search'; readonly query: string }

/** A view of several conversations. `reactions` has the user's own messages that someone reacted to. */
export type Feed = 'mentions' | 'starred' | 'combined' | 'direct-messages' | 'reactions'

type Term = { operator: string; operand: string | number | number[]; negated?: boolean }

/** Returns the narrow as terms of the API; `ownId` is the id of the user. */
export function toTerms(narrow: Narrow, ownId: number): Term[] {
  switch (narrow.kind) {
    case 'channel':
      return [{ operator: 'channel', operand: narrow.channelId }]
    case 'topic':
      return [
        { operator: 'channel', operand: narrow.channelId },
        { operator: 'topic', operand: narrow.topic },
      ]
    case 'direct':
      return [{ operator: 'dm', operand: [...narrow.people] }]
    case 'mentions':
      return [{ operator: 'is', operand: 'mentioned' }]
    case 'starred':
      return [{ operator: 'is', operand: 'starred' }]
    case 'combined':
      return [{ operator: 'in', operand: 'home' }]
    case 'direct-messages':
      return [{ operator: 'is', operand: 'dm' }]
    case 'reactions':
      return [
        { operator: 'sender', operand: ownId },
        { operator: 'has', operand: 'reaction' },
      ]
    case 'search':
      return searchTerms(parseSearch(narrow.query))
  }
}

/** Returns true if two names belong to the same topic. */
export const isSameTopic = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Returns the ids of the other participants of a direct message in ascending order, or only the user's own id in notes
 * to self.
 */
export function peopleOf(message: Pick<Message, 'display_recipient'>, ownId: number): number[] {
  const { display_recipient: all } = message
  return typeof all === 'string'
    ? []
    : toParticipants(
        all.map(({ id }) => id),
        ownId,
      )
}

/** Returns user ids in the form that narrows use. */
export function toParticipants(ids: readonly number[], ownId: number): number[] {
  const others = [...new Set(ids)].filter((id) => id !== ownId).sort((one, other) => one - other)
  return others.length === 0 ? [ownId] : others
}

/** A conversation: a channel topic or direct messages with the same people. */
export type ConversationRef = Extract<Narrow, { kind: 'topic' | 'direct' }>

export const conversationOf = (message: Message, ownId: number): ConversationRef =>
  message.stream_id === undefined
    ? { kind: 'direct', people: peopleOf(message, ownId) }
    : { kind: 'topic', channelId: message.stream_id, topic: message.subject }

/** Returns true if the message belongs to the narrow; null if only the server knows. */
export function matchesNarrow(narrow: Narrow, message: Message, ownId: number): boolean | null {
  switch (narrow.kind) {
    case 'channel':
      return message.stream_id === narrow.channelId
    case 'topic':
      return message.stream_id === narrow.channelId && isSameTopic(message.subject, narrow.topic)
    case 'direct':
      return message.type === 'private' && String(peopleOf(message, ownId)) === String(narrow.people)
    case 'mentions':
      return isMentioned(message.flags)
    case 'starred':
      return message.flags.includes('starred')
    case 'combined':
      return true
    case 'direct-messages':
      return message.type === 'private'
    case 'reactions':
      return message.sender_id === ownId && message.reactions.length > 0
    case 'search':
      return null
  }
}

const MENTIONS = ['mentioned', 'stream_wildcard_mentioned', 'topic_wildcard_mentioned', 'wildcard_mentioned']

/** Returns true if the message mentions the user, by name or by a wildcard. */
export const isMentioned = (flags: readonly string[]): boolean => flags.some((flag) => MENTIONS.includes(flag))

/** Returns the topic name with or without the resolved mark. */
export const withResolved = (topic: string, isResolved: boolean): string =>
  isResolved ? resolvedName(topic) : topic.replace(/^(?:✔ )+/, '')

/** Returns the name of a topic for titles and labels, without the resolved mark. The empty name is general chat. */
export const topicTitle = (topic: string): string => withResolved(topic, false) || t('general chat')

/** Returns the user's setting for a topic, which is a value of `TopicPolicy`. */
export function topicPolicy(topics: Organization['user_topics'], channelId: number, topic: string): number {
  const own = topics.find((one) => one.stream_id === channelId && isSameTopic(one.topic_name, topic))
  return own?.visibility_policy ?? TopicPolicy.inherit
}

type NarrowPosition = { readonly narrow: Narrow; readonly near: number }

/** Returns the message's conversation, opened at the message; null without a message. */
export const conversationAt = (_: Narrow | null, message: Message | undefined, ownId: number): NarrowPosition | null =>
  message === undefined ? null : { narrow: conversationOf(message, ownId), near: message.id }

/** Returns the channel if the narrow is a topic, and the message's conversation otherwise. Both open at the message. */
export function siblingNarrowAt(
  narrow: Narrow | null,
  message: Message | undefined,
  ownId: number,
): NarrowPosition | null {
  if (message === undefined || narrow?.kind === 'direct') return null
  if (narrow?.kind !== 'topic') return conversationAt(narrow, message, ownId)
  return { narrow: { kind: 'channel', channelId: narrow.channelId }, near: message.id }
}
