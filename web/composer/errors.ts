import { MAX_MESSAGE_LENGTH } from '#rules/shared-limits.ts'
import { isTopicTooLong, maxTopicLength } from '../messages/message.ts'
import { t } from '../text/t.ts'
import type { Destination } from './destination.ts'

/** An error in a message, and the field that causes it. */
export type ComposerError = { readonly field: 'channel' | 'topic' | 'people' | 'text'; readonly text: string }

/**
 * Returns the length in Unicode code points, as the server counts it. The length of a short text is in UTF-16 units,
 * which can only be greater.
 */
export const lengthOf = (text: string): number =>
  text.length > MAX_MESSAGE_LENGTH * 0.8 ? Array.from(text).length : text.length

/** Returns the error of a message text; null if it is valid. */
export function messageTextError(text: string): string | null {
  return text.trim() === '' ? t('Write a message first.') : lengthError(text)
}

/** Returns the error of a text that is too long; null if it is not. */
export function lengthError(text: string): string | null {
  const length = lengthOf(text)
  return length > MAX_MESSAGE_LENGTH
    ? t('The message is too long: {count, number} of {max, number} characters.', {
        count: length,
        max: MAX_MESSAGE_LENGTH,
      })
    : null
}

/** Returns the error of a topic that is too long; null if it is not. */
export const topicLengthError = (topic: string): string | null =>
  isTopicTooLong(topic) ? t('Use at most {count, number} characters.', { count: maxTopicLength() }) : null

/** Returns the error of a topic; null if it is valid. */
export const topicError = (topic: string, isRequired: boolean): string | null =>
  topicLengthError(topic) ?? (topic.trim() === '' && isRequired ? t('Add a topic.') : null)

/** A name in the field for people or the channel. `isLeft` is true if the user left the field without choosing. */
export type TypedName = { readonly text: string; readonly isLeft: boolean }

/**
 * Returns the error that is shown while the user enters the recipients: a name without a choice, or a topic that is too
 * long; null if there is none.
 */
export function findRecipientError(destination: Destination, typed: TypedName | null): ComposerError | null {
  if (typed?.isLeft)
    return {
      field: destination.kind === 'direct' ? 'people' : 'channel',
      text: t('“{name}” isn’t a recipient yet. Choose one from the list, or delete the name.', { name: typed.text }),
    }
  const text = destination.kind === 'channel' ? topicLengthError(destination.topic) : null
  return text === null ? null : { field: 'topic', text }
}

/**
 * Returns the error of a message before it is sent; null if there is none. `needsTopic` is true if channel messages
 * need a topic.
 */
export function findError(
  needsTopic: boolean,
  destination: Destination,
  typed: TypedName | null,
  text: string,
): ComposerError | null {
  if (typed !== null) return findRecipientError(destination, { ...typed, isLeft: true })
  if (destination.kind === 'direct') {
    if (destination.people.length === 0) return { field: 'people', text: t('Add a recipient.') }
  } else {
    const { channelId, topic } = destination
    if (channelId === null) return { field: 'channel', text: t('Choose a channel.') }
    const problem = topicError(topic, needsTopic)
    if (problem !== null) return { field: 'topic', text: problem }
  }
  const problem = messageTextError(text)
  return problem === null ? null : { field: 'text', text: problem }
}
