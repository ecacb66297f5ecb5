import { t } from '../../text/t.ts'
import type { ComposerError } from './composer-error.ts'
import type { Destination } from './destination.ts'
import { messageTextError } from './message-text.ts'
import { topicError, topicLengthError } from './topic-error.ts'

/**
 * Returns the error that is shown while the user enters the recipients: a topic that is too long; null if there is
 * none.
 */
export function findRecipientError(destination: Destination): ComposerError | null {
  const text = destination.kind === 'channel' ? topicLengthError(destination.topic) : null
  return text === null ? null : { field: 'topic', text }
}

/**
 * Returns the error of a message before it is sent; null if there is none. `needsTopic` is true if channel messages
 * need a topic.
 */
export function findError(needsTopic: boolean, destination: Destination, text: string): ComposerError | null {
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
