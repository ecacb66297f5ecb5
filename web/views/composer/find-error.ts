import { t } from '../../text/t.ts'
import type { ComposerError } from './composer-error.ts'
import type { Destination } from './destination.ts'
import { messageTextError } from './message-text.ts'
import { topicError, topicLengthError } from './topic-error.ts'

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
