import { t } from '../../text/t.ts'

/** The prefix that all Zulip clients use for resolved topics. */
const PREFIX = '✔ '

/** The maximum length of a topic name, in characters. */
const MAX_LENGTH = 60

export const isResolved = (topic: string): boolean => topic.startsWith(PREFIX)

/** Returns the topic name with or without the resolved mark. */
export const withResolved = (topic: string, isResolved: boolean): string =>
  isResolved ? Array.from(`${PREFIX}${topic}`).slice(0, MAX_LENGTH).join('') : topic.replace(/^(?:✔ )+/, '')

/** Returns the name of a topic for titles and labels, without the resolved mark. The empty name is general chat. */
export const topicTitle = (topic: string): string => withResolved(topic, false) || t('general chat')
