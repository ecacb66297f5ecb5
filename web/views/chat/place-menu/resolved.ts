/** What the names of resolved topics begin with, as all clients of the API know it. */
const PREFIX = '✔ '

/** The longest name of a topic, in characters. */
const MAX_LENGTH = 60

export const isResolved = (topic: string): boolean => topic.startsWith(PREFIX)

/** The name of the topic when it is resolved, or no longer. */
export const withResolved = (topic: string, isResolved: boolean): string =>
  isResolved ? Array.from(`${PREFIX}${topic}`).slice(0, MAX_LENGTH).join('') : topic.replace(/^(?:✔ )+/, '')
