/** The prefix that all Zulip clients use for resolved topics. */
const PREFIX = '✔ '

/** The maximum length of a topic name, in characters. */
const MAX_LENGTH = 60

export const isResolved = (topic: string): boolean => topic.startsWith(PREFIX)

/** Returns the topic name with or without the resolved mark. */
export const withResolved = (topic: string, isResolved: boolean): string =>
  isResolved ? Array.from(`${PREFIX}${topic}`).slice(0, MAX_LENGTH).join('') : topic.replace(/^(?:✔ )+/, '')
