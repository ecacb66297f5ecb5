import { t } from '../../text/t.ts'

/** The maximum length of a topic, in code points. The server truncates longer topics. */
export const MAX_TOPIC = 60

/** Returns the error of a topic that is too long; null if it is not. */
export const topicLengthError = (topic: string): string | null =>
  [...topic.trim()].length > MAX_TOPIC ? t('Use at most {count, number} characters.', { count: MAX_TOPIC }) : null

/** Returns the error of a topic; null if it is valid. */
export const topicError = (topic: string, isRequired: boolean): string | null =>
  topicLengthError(topic) ?? (topic.trim() === '' && isRequired ? t('Add a topic.') : null)
