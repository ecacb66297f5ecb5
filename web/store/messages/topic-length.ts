/** The maximum length of a topic, in code points. The server truncates longer topics. */
export const MAX_TOPIC = 60

export const isTopicTooLong = (topic: string): boolean => [...topic.trim()].length > MAX_TOPIC
