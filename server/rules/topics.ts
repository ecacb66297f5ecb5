// The form of topic names, and the mark of resolved topics. The web client applies the same functions, so that the
// server recognizes the names that it sends.

/** The maximum length of a topic, in code points. */
export const MAX_TOPIC_LENGTH = 60

/** The prefix that all clients use for resolved topics. */
export const RESOLVED_PREFIX = '✔ '

export const isResolved = (topic: string): boolean => topic.startsWith(RESOLVED_PREFIX)

/** Truncates the topic to 60 code points. A truncated topic ends in three dots. */
export function truncateTopic(topic: string): string {
  const characters = Array.from(topic)
  if (characters.length <= MAX_TOPIC_LENGTH) return topic
  return `${characters.slice(0, MAX_TOPIC_LENGTH - 3).join('')}...`
}

/** Returns the name of a topic after it was resolved. */
export const resolvedName = (topic: string): string => truncateTopic(RESOLVED_PREFIX + topic)

/** Returns true if the change only adds or removes the resolved prefix, even if the longer name was truncated. */
export function isResolutionChange(from: string, to: string): boolean {
  if (isResolved(from) === isResolved(to)) return false
  const [unresolved, resolved] = isResolved(from) ? [to, from] : [from, to]
  return resolvedName(unresolved) === resolved
}
