import { isTopicTooLong, maxTopicLength } from '../../store/messages/max-lengths.ts'
import { t } from '../../text/t.ts'

/** Returns the error of a topic that is too long; null if it is not. */
export const topicLengthError = (topic: string): string | null =>
  isTopicTooLong(topic) ? t('Use at most {count, number} characters.', { count: maxTopicLength() }) : null

/** Returns the error of a topic; null if it is valid. */
export const topicError = (topic: string, isRequired: boolean): string | null =>
  topicLengthError(topic) ?? (topic.trim() === '' && isRequired ? t('Add a topic.') : null)
